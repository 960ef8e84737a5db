import type { Workspace } from "@almanac/client";
import type { Command } from "commander";
import { CommandError } from "../exit-codes.ts";
import type { Run } from "../program.ts";
import type { Session } from "../session.ts";
import { onOneLine } from "../text.ts";

/** The workspaces of the credential, and the one in which the commands work. */
async function readWorkspaces(session: Session) {
  const { baseUrl } = await session.credentials.current();
  const { workspaces } = await (await session.almanac()).listWorkspaces();
  return { baseUrl, workspaces, current: currentOf(workspaces, await session.workspaceAt(baseUrl)) };
}

/** A pinned credential sees one workspace, which need not be the active one. */
export function currentOf(workspaces: readonly Workspace[], named: string | null): Workspace | null {
  const [only] = workspaces.length === 1 ? workspaces : [];
  return workspaces.find(({ id, is_active: isActive }) => (named === null ? isActive : id === named)) ?? only ?? null;
}

/** By the whole id, its end or the name. */
function chosenFrom(workspaces: readonly Workspace[], text: string): Workspace {
  const id = text.toLowerCase();
  const found = workspaces.filter(
    (one) => one.id === id || (id.length >= 6 && one.id.endsWith(id)) || one.name === text,
  );
  const [first] = found;
  if (first === undefined || found.length > 1) {
    throw new CommandError(
      "usage",
      "unknown_workspace",
      `${first === undefined ? "no workspace" : "more than one workspace"} is called ${onOneLine(text)}: \`almanac workspaces\` shows them with their ids`,
    );
  }
  return first;
}

export function addWorkspaces(program: Command, run: Run): void {
  const command = program.command("workspaces").description("the workspaces, and the one in which the commands work");
  command
    .command("list", { isDefault: true })
    .description("show all of them")
    .action(
      run(async (session) => {
        const { terminal } = session;
        const { workspaces, current } = await readWorkspaces(session);
        terminal.table(workspaces, [
          { title: "", of: ({ id }) => (id === current?.id ? "*" : "") },
          { title: "Name", of: ({ name }) => onOneLine(name), shrinks: true },
          { title: "Active", of: ({ is_active: isActive }) => (isActive ? "yes" : "") },
          { title: "Id", of: ({ id }) => id },
        ]);
        terminal.json({ workspaces, workspace_id: current?.id ?? null });
      }),
    );
  command
    .command("use")
    .argument("[workspace]", "its id, the end of its id, or its name")
    .option("--none", "work in the active workspace again")
    .description("work in this workspace from now on; the active one stays as it is")
    .action(
      run<{ none?: boolean }, [string | undefined]>(async (session, { none = false }, text) => {
        const { terminal } = session;
        if (none === (text !== undefined)) {
          throw new CommandError("usage", "unclear_workspace", "name one workspace, or say --none");
        }
        if (text === undefined) {
          await session.workspaces.forget();
          terminal.line("The commands work in the active workspace.");
          terminal.json({ workspace: null });
          return;
        }
        // Not through the workspace in use, which may be gone.
        const credential = await session.credentials.current();
        const { workspaces } = await session.clientFor(credential, null).listWorkspaces();
        const workspace = chosenFrom(workspaces, text);
        await session.workspaces.use({ baseUrl: credential.baseUrl, id: workspace.id });
        terminal.line(`The commands work in ${onOneLine(workspace.name)}.`);
        terminal.json({ workspace });
      }),
    );
}
