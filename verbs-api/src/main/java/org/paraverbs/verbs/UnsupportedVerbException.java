// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/** A device or its provider cannot do what was asked; {@link Context#supports(Feature)} tells beforehand. */
public class UnsupportedVerbException extends VerbsException {

    private static final long serialVersionUID = 1L;

    /**
     * A refusal.
     *
     * @param verb the name of the verb
     * @param object what it was applied to, in words, possibly empty
     * @param advice who cannot do it, and what to do instead
     */
    public UnsupportedVerbException(String verb, String object, String advice) {
        super(verb, object, Errno.EOPNOTSUPP, advice);
    }

    /**
     * The refusal of a verb whose feature a context does not support.
     *
     * @param verb the name of the verb
     * @param object what it was applied to
     * @param feature what is missing
     * @return the exception, to be thrown
     */
    public static UnsupportedVerbException of(String verb, Object object, Feature feature) {
        return new UnsupportedVerbException(
                verb,
                object.toString(),
                "the device or its provider does not support " + feature + "; ask Context.supports(Feature." + feature
                        + ") before");
    }
}
