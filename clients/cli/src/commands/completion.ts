import { Argument, type Command } from "commander";
import { completionScript, type Shell, SHELLS } from "../completion.ts";
import type { Streams } from "../terminal.ts";

export function addCompletion(program: Command, streams: Streams): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .description("print the completion script of a shell")
    .action((shell: Shell) => {
      streams.stdout.write(completionScript(program, shell));
    });
}
