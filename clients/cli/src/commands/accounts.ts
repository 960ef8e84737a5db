import type { Account } from "@almanac/client";
import type { Command } from "commander";
import open from "open";
import { setTimeout as wait } from "node:timers/promises";
import { CommandError } from "../exit-codes.ts";
import type { Run } from "../program.ts";
import type { Session } from "../session.ts";
import { onOneLine } from "../text.ts";

const POLL_MS = 5000;

function showAccounts({ terminal }: Session, accounts: readonly Account[]): void {
  if (accounts.length === 0) {
    terminal.line("No account is connected yet: run `almanac connect <platform>`.");
    return;
  }
  terminal.table(accounts, [
    { title: "Platform", of: ({ platform }) => platform },
    { title: "Account", of: ({ username }) => username },
    { title: "Name", of: ({ display_name: name }) => name, shrinks: true },
    {
      title: "Status",
      of: ({ status, status_reason: reason }) => (reason === null ? status : `${status}: ${reason}`),
      style: ({ status }) => (status === "active" ? "green" : "red"),
    },
  ]);
}

export function addAccounts(program: Command, run: Run): void {
  program
    .command("accounts")
    .description("list the connected accounts")
    .option("--platform <name>", "only accounts of this platform")
    .option("--sync", "ask the platforms first for what is new")
    .action(
      run<{ platform?: Account["platform"]; sync?: boolean }>(async (session, { platform, sync }) => {
        const almanac = await session.almanac();
        if (sync) {
          await almanac.syncAccounts();
        }
        const { accounts } = await almanac.listAccounts({ query: { ...(platform && { platform }) } });
        showAccounts(session, accounts);
        session.terminal.json({ accounts });
      }),
    );
}

function toInput(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = /^(\w+)=(.+)$/.exec(word) ?? [];
      if (name === undefined || value === undefined) {
        throw new CommandError("usage", "unclear_input", `"${word}" is no input: write it as server=mastodon.social`);
      }
      return [name, value];
    }),
  );
}

const stateOf = ({ connected_at: at, status, token_expires_at: end }: Account) => `${at} ${status} ${end}`;

/** The first account of the platform that is new, or that changed, which is what a login does. */
async function waitForAccount(
  session: Session,
  {
    platform,
    expires_at: expiresAt,
    before,
  }: { platform: Account["platform"]; expires_at: string; before: readonly Account[] },
): Promise<readonly Account[]> {
  const almanac = await session.almanac();
  const known = new Map(before.map((account) => [account.id, stateOf(account)]));
  while (session.clock.now() < Date.parse(expiresAt)) {
    await wait(POLL_MS, undefined, { signal: session.signal });
    const { accounts } = await almanac.listAccounts({ query: { platform } });
    const changed = accounts.filter((account) => known.get(account.id) !== stateOf(account));
    if (changed.length > 0) {
      return changed;
    }
  }
  throw new CommandError("refused", "login_not_finished", "the login was not finished in time: run the command again");
}

export function addConnect(program: Command, run: Run): void {
  program
    .command("connect")
    .argument("<platform>", "the platform, such as x or linkedin")
    .description("connect an account: opens the platform's login in the browser")
    .option("-i, --input <name=value>", "what the platform needs first, such as server=mastodon.social", collect, [])
    .option("--no-browser", "print the address instead of opening it")
    .option("--no-wait", "do not wait until the login is finished")
    .action(
      run<{ input: string[]; browser: boolean; wait: boolean }, [platform: Account["platform"]]>(
        async (session, { input, browser, wait: waits }, platform) => {
          const { terminal } = session;
          const almanac = await session.almanac();
          const body = { platform, ...(input.length > 0 && { input: toInput(input) }) };
          const [{ accounts: before }, started] = [
            await almanac.listAccounts({ query: { platform } }),
            await almanac.connectAccount({ body }),
          ];
          terminal.note("Log in at the platform in your browser:");
          terminal.streams.stderr.write(`${onOneLine(started.connect_url)}\n`);
          if (browser && /^https?:\/\//.test(started.connect_url)) {
            const opened = await open(started.connect_url).catch(() => null);
            opened?.on("error", () => null);
          }
          if (!waits) {
            terminal.json(started);
            return;
          }
          terminal.note("Waiting for the login; Ctrl-C stops waiting, not the login.");
          const accounts = await waitForAccount(session, { platform, expires_at: started.expires_at, before });
          showAccounts(session, accounts);
          terminal.json({ ...started, accounts });
        },
      ),
    );
}

/** An option that can be given several times. */
export function collect(value: string, values: readonly string[]): string[] {
  return [...values, value];
}
