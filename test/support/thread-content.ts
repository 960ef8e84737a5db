import type { AccountAccess, Adapter } from "#platforms/contract.ts";
import { logIn, publishedPosts } from "./drive-simulator.ts";

/* Threads of eight parts, which tests of the platforms that take them publish. */

export const PARTS = 8;

export async function connectAccount(adapter: Adapter, settings?: Record<string, string>): Promise<AccountAccess> {
  const [account] = (await logIn(adapter, "ada", settings)).accounts;
  if (!account) {
    throw new Error("the login has no account");
  }
  return account;
}

export function captionsOf(name: string): string[] {
  return Array.from({ length: PARTS }, (_, index) => `${name}, part ${index + 1} of its thread`);
}

export function threadOf([caption = "", ...others]: readonly string[]) {
  return { caption, options: { thread: others.map((text) => ({ caption: text })) } };
}

/** What the platform has of it, by its text. */
export async function publishedThread(adapter: Adapter, account: AccountAccess, name: string) {
  const posts = await publishedPosts(adapter, account.platformAccountId);
  return posts.filter(({ text }) => text.startsWith(name)).toSorted((a, b) => a.text.localeCompare(b.text));
}
