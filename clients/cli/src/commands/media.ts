import type { Command } from "commander";
import { resolveMedia } from "../media.ts";
import type { Run } from "../program.ts";
import { onOneLine } from "../text.ts";

export function addMedia(program: Command, run: Run): void {
  program
    .command("media")
    .argument("<file...>", "files of this computer, or public https addresses")
    .description("upload images and videos for later posts")
    .action(
      run<object, [sources: string[]]>(async (session, _options, sources) => {
        const items = await resolveMedia(session, await session.almanac(), sources);
        session.terminal.table(items, [
          { title: "Type", of: ({ type }) => type },
          { title: "Address, for --media", of: ({ url }) => onOneLine(url) },
        ]);
        session.terminal.json({ media_items: items });
      }),
    );
}
