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
}
