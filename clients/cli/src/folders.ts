import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

const OWNER_ONLY = 0o600;
const FOLDER_OWNER_ONLY = 0o700;

/** The folder of the user's settings: `XDG_CONFIG_HOME`, `%APPDATA%` on Windows, otherwise `~/.config`. */
export function configFolder(env: NodeJS.ProcessEnv, platform = process.platform): string {
  if (env["XDG_CONFIG_HOME"]) {
    return join(env["XDG_CONFIG_HOME"], "almanac");
  }
  if (platform === "win32" && env["APPDATA"]) {
    return join(env["APPDATA"], "almanac");
  }
  return join(homedir(), ".config", "almanac");
}

/** A file that only its owner can read, written whole or not at all. */
export class PrivateFile<Content> {
  readonly path: string;
  readonly #folder: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.path = join(folder, name);
  }

  /** Null when there is none. A file that others can read is closed to them. */
  async read(): Promise<Content | null> {
    let text: string;
    try {
      text = await readFile(this.path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        return null;
      }
      throw error;
    }
    if (process.platform !== "win32" && ((await stat(this.path)).mode & 0o077) !== 0) {
      await chmod(this.path, OWNER_ONLY);
    }
    try {
      return JSON.parse(text) as Content;
    } catch {
      throw new Error(`${this.path} is damaged: delete it and run \`almanac login\` again`);
    }
  }

  async write(content: Content): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: FOLDER_OWNER_ONLY });
    const temporary = `${this.path}.${process.pid}.${crypto.randomUUID()}`;
    try {
      await writeFile(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: OWNER_ONLY, flag: "wx" });
      await rename(temporary, this.path);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
