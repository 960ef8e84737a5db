import packageFile from "../package.json" with { type: "json" };
import { reportError } from "./errors.ts";
import { EXIT } from "./exit-codes.ts";
import { buildProgram } from "./program.ts";
import { type CommonOptions, Session } from "./session.ts";
import { Terminal } from "./terminal.ts";

const { stdin, stdout, stderr, env, argv } = process;
const streams = { stdin, stdout, stderr };
const interrupted = new AbortController();

process.on("SIGINT", () => {
  if (interrupted.signal.aborted) {
    process.exit(EXIT.interrupted);
  }
  interrupted.abort();
});
// The reader of a pipe has seen enough.
stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? EXIT.done : EXIT.failed));

const openSession = (options: CommonOptions) => new Session(streams, env, interrupted.signal, options);

try {
  await buildProgram(packageFile.version, streams, openSession).parseAsync(argv);
} catch (error) {
  const terminal = new Terminal(streams, env, argv.includes("--json"));
  process.exitCode = interrupted.signal.aborted ? EXIT.interrupted : reportError(error, terminal);
}
