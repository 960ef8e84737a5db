import { CommandError } from "./exit-codes.ts";
import { configFolder, PrivateFile } from "./folders.ts";

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The id of a workspace that `--workspace` or `ALMANAC_WORKSPACE` names. */
export function toWorkspaceId(text: string): string {
  if (!UUID.test(text)) {
    throw new CommandError(
      "usage",
      "unclear_workspace",
      `"${text}" is no id of a workspace: \`almanac workspaces\` shows them`,
    );
  }
  return text.toLowerCase();
}

/** The workspace that this computer uses at one service. */
interface UsedWorkspace {
  readonly baseUrl: string;
  readonly id: string;
}

/** Remembers what `almanac workspaces use` said. The active workspace of the user stays as it is, because others work in it too. */
export class WorkspaceStore {
  readonly #file: PrivateFile<UsedWorkspace>;

  constructor(env: NodeJS.ProcessEnv) {
    this.#file = new PrivateFile(configFolder(env), "workspace.json");
  }

  async usedAt(baseUrl: string): Promise<string | null> {
    const used = await this.#file.read();
    return used?.baseUrl === baseUrl ? used.id : null;
  }

  async use(used: UsedWorkspace): Promise<void> {
    await this.#file.write(used);
  }

  async forget(): Promise<void> {
    await this.#file.remove();
  }
}
