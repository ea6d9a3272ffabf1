// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.io.PrintStream;
import java.lang.module.ModuleDescriptor;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.paraverbs.perftest.wire.ProgramVersion;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** From the command line to settings. */
final class CommandLineParser {
    private final Program program;
    private final PrintStream out;
    private final PrintStream err;

    CommandLineParser(Program program, PrintStream out, PrintStream err) {
        this.program = program;
        this.out = out;
        this.err = err;
    }

    /**
     * Parses.
     *
     * @return the settings, or null if help or the version was asked for and has been printed
     * @throws PerftestException if the arguments cannot be understood or do not go together
     */
    @Nullable
    Settings parse(String... arguments) {
        var options = new Options();
        var commandLine = new CommandLine(options)
                .setCommandName(program.commandName())
                .registerConverter(Integer.class, CommandLineParser::number)
                .setAbbreviatedOptionsAllowed(true)
                .setToggleBooleanFlags(false)
                .setOverwrittenOptionsAllowed(true);
        try {
            commandLine.parseArgs(arguments);
        } catch (UnmatchedArgumentException e) {
            throw new PerftestException(unmatched(e));
        } catch (ParameterException e) {
            throw new PerftestException(e.getMessage() + "; " + program.commandName() + " --help lists the options");
        }
        if (options.help) {
            commandLine.usage(out);
            return null;
        }
        if (options.version) {
            // The first line is the C programs', for scripts that compare versions.
            out.println("Version: " + ProgramVersion.OURS.text());
            out.println("Paraverbs " + paraverbsVersion());
            return null;
        }
        SettingsRules.Result result = SettingsRules.apply(program, options);
        for (String note : result.notes()) {
            err.println(note);
        }
        return result.settings();
    }

    /** The version that the build wrote into the module descriptor. */
    private static String paraverbsVersion() {
        ModuleDescriptor descriptor = CommandLineParser.class.getModule().getDescriptor();
        return descriptor == null
                ? "(on the class path)"
                : descriptor.rawVersion().orElse("(without a version)");
    }

    /** Decimal, or hexadecimal with 0x, as strtol takes it. */
    private static Integer number(String text) {
        try {
            return Integer.decode(text);
        } catch (NumberFormatException e) {
            throw new CommandLine.TypeConversionException("'" + text + "' is not a number");
        }
    }

    private String unmatched(UnmatchedArgumentException e) {
        String argument = e.getUnmatched().getFirst();
        if (!argument.startsWith("-")) {
            return "one host name at most: '" + argument + "' is one too many";
        }
        String refusal = AbsentOptions.refusal(argument);
        if (refusal != null) {
            return refusal;
        }
        List<String> suggestions = e.getSuggestions();
        String advice = suggestions.isEmpty() ? "" : "; did you mean " + String.join(" or ", suggestions) + "?";
        return "unknown option " + argument + advice + " (" + program.commandName() + " --help lists the options)";
    }
}
