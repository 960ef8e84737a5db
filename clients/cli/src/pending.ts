import { configFolder, PrivateFile } from "./folders.ts";

/** What was said yes to, from just before its confirm until its answer: what a killed run leaves behind. */
interface PendingConfirm {
  readonly baseUrl: string;
  readonly token: string;
  /** The workspace of the preview; null or absent for the active one. */
  readonly workspace?: string | null;
  /** Equal for the same command line. */
  readonly command: string;
  /** The caption of a post, or the name of a table. */
  readonly caption: string;
  /** Null for many posts, each with its own time. */
  readonly scheduledAt: string | null;
  /** How many posts of a table; absent for one post. */
  readonly posts?: number;
  /** The row at which the command goes on after this confirm; absent or null at the end of a table. */
  readonly nextRow?: number | null;
}

/** Remembers the one confirm that is on its way. */
export class PendingConfirmStore {
  readonly #file: PrivateFile<PendingConfirm>;

  constructor(env: NodeJS.ProcessEnv) {
    this.#file = new PrivateFile(configFolder(env), "pending.json");
  }

  async find(baseUrl: string): Promise<PendingConfirm | null> {
    const pending = await this.#file.read();
    return pending?.baseUrl === baseUrl ? pending : null;
  }

  async keep(pending: PendingConfirm): Promise<void> {
    await this.#file.write(pending);
  }

  async forget(): Promise<void> {
    await this.#file.remove();
  }
}
