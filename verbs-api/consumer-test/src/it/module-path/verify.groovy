// SPDX-License-Identifier: Apache-2.0
// Runs the program on the module path, with no option that opens or adds anything; the emulator calls nothing native.
def java = System.getProperty('java.home') + '/bin/java'
def command = [java, '--module-path', 'target/module-path-1.jar' + File.pathSeparator + 'target/lib', '--module', 'consumer/consumer.FirstWrite']
def process = new ProcessBuilder(command).directory(basedir).redirectErrorStream(true).start()
def output = process.inputStream.text
if (process.waitFor() != 0 || !output.contains(': 42') || output.contains('WARNING')) {
    throw new AssertionError("$command\nended with ${process.exitValue()}:\n$output")
}
println output
