import type { Almanac, Workspace } from "@almanac/client";
import { isAlmanacError } from "@almanac/client";
import type { Command } from "commander";
import type { Run } from "../program.ts";
import { onOneLine } from "../text.ts";
import { currentOf } from "./workspaces.ts";

/** Null where the credential may not read workspaces. */
async function currentWorkspace(almanac: Almanac, named: string | null): Promise<Workspace | null> {
  try {
    return currentOf((await almanac.listWorkspaces()).workspaces, named);
  } catch (error) {
    if (isAlmanacError(error, "insufficient_scope")) {
      return null;
    }
    throw error;
  }
}

export function addWhoami(program: Command, run: Run): void {
  program
    .command("whoami")
    .description("show the service, the workspace, the plan and its limits")
    .action(
      run(async (session) => {
        const { terminal, clock, credentials } = session;
        const credential = await credentials.current();
        const named = await session.workspaceAt(credential.baseUrl);
        const almanac = session.clientFor(credential, named);
        const [{ plan, limits }, workspace] = await Promise.all([
          almanac.getLimits(),
          currentWorkspace(almanac, named),
        ]);
        const scopes = credential.kind === "oauth" ? credential.scopes : null;
        const facts: readonly (readonly [string, string])[] = [
          ["Service", credential.baseUrl],
          ["Signed in", credential.kind === "key" ? "with an API key" : "through the browser"],
          ...(scopes ? [["Scopes", scopes.join(", ")] as const] : []),
          ["Workspace", workspace ? onOneLine(workspace.name) : "not readable with this credential"],
          ["Plan", plan],
          ["Time zone", `${clock.zone}, now ${clock.full(new Date(clock.now()).toISOString())}`],
        ];
        for (const [name, text] of facts) {
          terminal.line(`${terminal.paint(name.padEnd(9), "bold")}  ${text}`);
        }
        terminal.line();
        terminal.table(
          Object.entries(limits).filter(([, { used }]) => used !== null),
          [
            { title: "Limit", of: ([name]) => name.replaceAll("_", " ") },
            { title: "Used", of: ([, { used }]) => String(used) },
            { title: "Allowed", of: ([, { limit }]) => String(limit) },
          ],
        );
        terminal.json({
          base_url: credential.baseUrl,
          kind: credential.kind,
          scopes,
          workspace,
          plan,
          time_zone: clock.zone,
          limits,
        });
      }),
    );
}
