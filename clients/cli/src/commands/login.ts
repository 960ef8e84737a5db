import type { Command } from "commander";
import open from "open";
import { ALL_SCOPES, loginWithBrowser, revokeCredential } from "../oauth.ts";
import { CommandError } from "../exit-codes.ts";
import { toBaseUrl } from "../server-address.ts";
import type { Run } from "../program.ts";
import type { Session } from "../session.ts";
import type { Credential } from "../credentials.ts";

interface LoginOptions {
  readonly server?: string;
  readonly key?: boolean;
  readonly browser: boolean;
  readonly scopes?: string;
}

const KEY = /^alk_[0-9A-Za-z]{49}$/;

async function serverFrom(session: Session, { server }: LoginOptions): Promise<string> {
  const known = server ?? session.env["ALMANAC_URL"] ?? (await session.credentials.stored())?.baseUrl;
  if (known === undefined) {
    throw new CommandError(
      "usage",
      "server_missing",
      "say which service to sign in to: almanac login --server https://almanac.example.org",
    );
  }
  return toBaseUrl(known);
}

async function readKey(session: Session, baseUrl: string): Promise<Credential> {
  const key = await session.readSecret("Paste an API key (it is not shown)");
  if (!KEY.test(key)) {
    throw new CommandError(
      "usage",
      "unclear_key",
      "this is no API key: a key begins with alk_ and is shown once, where it is created in the dashboard under AI & API",
    );
  }
  return { kind: "key", baseUrl, key };
}

async function useBrowser(session: Session, baseUrl: string, { browser, scopes }: LoginOptions): Promise<Credential> {
  const { terminal, signal } = session;
  return await loginWithBrowser(baseUrl, {
    scopes: scopes?.split(",") ?? ALL_SCOPES,
    signal,
    async show(url) {
      terminal.note("Sign in and allow the access in your browser:");
      // Alone on its line, so that it can be copied.
      terminal.streams.stderr.write(`${url}\n`);
      if (browser) {
        // Without a browser the person opens the address above.
        const opened = await open(url).catch(() => null);
        opened?.on("error", () => null);
      }
      terminal.note("Waiting for the browser; Ctrl-C stops. Without a browser here, use `almanac login --key`.");
    },
  });
}

export function addLogin(program: Command, run: Run): void {
  program
    .command("login")
    .description("sign in: through the browser, or with an API key")
    .option("-s, --server <address>", "the service, such as https://almanac.example.org (or ALMANAC_URL)")
    .option("-k, --key", "read an API key: from a prompt, or from the standard input")
    .option("--no-browser", "print the address instead of opening it")
    .option("--scopes <list>", "ask for these scopes only, with commas between them")
    .action(
      run<LoginOptions>(async (session, options) => {
        const { credentials, terminal } = session;
        const baseUrl = await serverFrom(session, options);
        const before = await credentials.stored();
        const credential = options.key ? await readKey(session, baseUrl) : await useBrowser(session, baseUrl, options);
        // Any valid credential may read this, so it shows whether the credential works.
        const { plan } = await session.clientFor(credential, null).getLimits();
        await credentials.store(credential);
        // It may be a workspace of another user.
        await session.workspaces.forget();
        if (before?.kind === "oauth") {
          // The access before is not needed any more; that it could not be ended changes nothing here.
          await revokeCredential(before).catch(() => null);
        }
        terminal.line(
          `Signed in to ${new URL(baseUrl).host} (plan ${plan}). Stored in ${credentials.path}, readable by you only.`,
        );
        terminal.json({ signed_in: true, base_url: baseUrl, kind: credential.kind, plan });
      }),
    );
}

export function addLogout(program: Command, run: Run): void {
  program
    .command("logout")
    .description("end the access of this command line and forget it")
    .action(
      run(async ({ credentials, terminal, workspaces }) => {
        const credential = await credentials.stored();
        if (!credential) {
          terminal.line("You were not signed in.");
          terminal.json({ signed_out: true, revoked: false });
          return;
        }
        let revoked = false;
        if (credential.kind === "oauth") {
          revoked = await revokeCredential(credential).then(
            () => true,
            () => false,
          );
        }
        await credentials.forget();
        await workspaces.forget();
        terminal.line(
          credential.kind === "key"
            ? "Signed out. The API key itself still works: revoke it in the dashboard under AI & API."
            : revoked
              ? "Signed out, and the access is ended."
              : "Signed out here. The service could not be reached: end the access in the dashboard under AI & API.",
        );
        terminal.json({ signed_out: true, revoked });
      }),
    );
}
