import { Almanac } from "@almanac/client";
import { confirm, isCancel, password } from "@clack/prompts";
import { type Credential, CredentialStore } from "./credentials.ts";
import { CommandError } from "./exit-codes.ts";
import { Terminal, type Streams } from "./terminal.ts";
import { Clock, timeZoneOf } from "./times.ts";
import { toWorkspaceId, WorkspaceStore } from "./workspace.ts";

/** Options that every command has. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly zone?: string;
  readonly workspace?: string;
}

/** What a command works with: the terminal, the clock, and the service as the signed-in user. */
export class Session {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly credentials: CredentialStore;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly workspaces: WorkspaceStore;
  readonly #answersYes: boolean;
  readonly #workspace: string | undefined;

  constructor(
    streams: Streams,
    env: NodeJS.ProcessEnv,
    signal: AbortSignal,
    { json = false, yes = false, zone, workspace }: CommonOptions,
  ) {
    this.terminal = new Terminal(streams, env, json);
    this.clock = new Clock(timeZoneOf(zone));
    this.credentials = new CredentialStore(env);
    this.workspaces = new WorkspaceStore(env);
    this.#workspace = workspace ?? env["ALMANAC_WORKSPACE"];
    this.env = env;
    this.signal = signal;
    this.#answersYes = yes;
  }

  /** The workspace that the option, the environment or `almanac workspaces use` names; null for the active one. */
  async workspaceAt(baseUrl: string): Promise<string | null> {
    return this.#workspace ? toWorkspaceId(this.#workspace) : await this.workspaces.usedAt(baseUrl);
  }

  clientFor(credential: Credential, workspace: string | null): Almanac {
    return new Almanac({
      baseUrl: credential.baseUrl,
      ...(workspace !== null && { workspace }),
      token: this.credentials.tokenSource(credential),
      onRetry: ({ reason, delayMs }) =>
        this.terminal.note(`The service is asked again in ${Math.ceil(delayMs / 1000)} s (${reason}).`),
    });
  }

  async almanac(): Promise<Almanac> {
    const credential = await this.credentials.current();
    return this.clientFor(credential, await this.workspaceAt(credential.baseUrl));
  }

  /** Refuses at once what could only end with a question that nobody can answer. */
  requireDecision(): void {
    if (!this.#answersYes && !this.terminal.isInteractive) {
      throw new CommandError(
        "notConfirmed",
        "confirmation_required",
        "this needs a yes, and there is no terminal to ask: add --yes",
      );
    }
  }

  /** Asks on the terminal; `--yes` has answered already. */
  async asks(question: string): Promise<boolean> {
    if (this.#answersYes) {
      return true;
    }
    this.requireDecision();
    const answer = await confirm({
      message: question,
      initialValue: false,
      input: this.terminal.streams.stdin,
      output: this.terminal.streams.stderr,
      signal: this.signal,
    });
    if (isCancel(answer)) {
      throw interrupted();
    }
    return answer;
  }

  /** Reads a secret that is not shown, or the standard input where that is no terminal. */
  async readSecret(question: string): Promise<string> {
    const { stdin, stderr } = this.terminal.streams;
    if (!this.terminal.isInteractive) {
      let text = "";
      for await (const chunk of stdin) {
        text += String(chunk);
      }
      return text.trim();
    }
    const answer = await password({ message: question, input: stdin, output: stderr, signal: this.signal });
    if (isCancel(answer)) {
      throw interrupted();
    }
    return answer.trim();
  }
}

const interrupted = () => new CommandError("interrupted", "interrupted", "stopped: nothing was changed");

/** The answer was no. */
export const notConfirmed = (what = "nothing was changed"): CommandError =>
  new CommandError("notConfirmed", "declined", what);
