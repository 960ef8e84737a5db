import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/*
 * A call works in one workspace, also where its user has others. So a statement about a table whose rows belong to a workspace names the
 * workspace. Those that name only the user are listed here, each with its reason.
 */

const ROOT = join(import.meta.dirname, "..", "..");

const BY_USER_ALONE: Readonly<Record<string, string>> = {
  "src/accounts/store-accounts.ts connectedCountStatement": "the limit of accounts counts for the user",
  "src/accounts/sync/store-account-listing.ts SLOTS_IN_USE": "the limit of accounts counts for the user",
  "src/auth/keys/store.ts ACTIVE_KEYS": "the limit of keys counts for the user",
  "src/auth/keys/store.ts markKeyRevoked": "the user revokes any key in the dashboard",
  "src/auth/oauth/store.ts OTHER_APPS": "the limit of apps counts for the user",
  "src/auth/oauth/store.ts hasApproved": "the user decides about an app, whatever its workspace",
  "src/auth/oauth/store.ts revokeGrant": "the user revokes any app in the dashboard",
  "src/auth/oauth/store.ts updateGrantConfirms": "the user changes any app in the dashboard",
  "src/auth/users/store-access.ts revokeStatements": "all access of a user ends",
  "src/auth/users/store.ts replacePassword": "all access of a user ends",
  "src/confirming/commit/store-commit-plan.ts APPROVAL_OF_TOKEN": "the token was opened in the workspace of its plan",
  "src/confirming/requests/store-approvals.ts withdrawOfRevoked": "the requests of a revoked key or app end everywhere",
  "src/media/cleanup/store-sweep.ts WAITED_FOR_UNTIL": "the cron keeps media for requests of their user",
  "src/media/cleanup/store-sweep.ts deleteUploadsOfUser": "a deleted user's uploads end everywhere",
};

/** The tables with a user and a workspace. */
function tablesOfWorkspaces(): readonly string[] {
  const schema = readFileSync(join(ROOT, "src/db/schema.ts"), "utf8");
  return [...schema.matchAll(/sqliteTable\(\s*"(\w+)",\s*\{([^]*?)\n {2}\}/g)].flatMap(([, name = "", columns = ""]) =>
    columns.includes('"user_id"') && columns.includes('"workspace_id"') ? [name] : [],
  );
}

const TABLES = tablesOfWorkspaces();
const DECLARATION = /\n(?=(?:export |const |async function |function ))/;

/** The declarations of a store that select by the user, and not by the workspace. */
function byUserAlone(path: string, text: string): string[] {
  return text.split(DECLARATION).flatMap((declaration) => {
    const code = declaration.replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
    const isOfUser = /\buser_id (?:=|IN|IS)|\.userId,/.test(code);
    const isOfWorkspaces = TABLES.some((table) => new RegExp(`\\b${table}\\b`).test(code));
    return isOfUser && isOfWorkspaces && !/workspace_?id/i.test(code)
      ? [`${path} ${/(?:function|const) (\w+)/.exec(code)?.[1]}`]
      : [];
  });
}

describe("statements that select by the user alone", () => {
  test("are those of this list", () => {
    expect(TABLES).toEqual(expect.arrayContaining(["accounts", "approvals", "drafts", "media", "posts"]));
    const paths = globSync("src/**/store*.ts", { cwd: ROOT });
    const found = paths.flatMap((path) => byUserAlone(path, readFileSync(join(ROOT, path), "utf8")));
    expect(found.toSorted()).toEqual(Object.keys(BY_USER_ALONE).toSorted());
  });

  test.each([
    ['const X = "SELECT id FROM posts WHERE id = ?1 AND user_id = ?2', ' AND workspace_id = ?3";'],
    ["function find() {\n  return from(drafts).where(eq(drafts.userId, user)", ", eq(drafts.workspaceId, id));\n}"],
  ])("are refused elsewhere: %s", (planted, workspace) => {
    const find = (code: string) => byUserAlone("src/planning/facts/store-planted.ts", `\nexport ${code}`);
    expect(find(planted)).toHaveLength(1);
    expect(find(planted + workspace)).toEqual([]);
  });
});
