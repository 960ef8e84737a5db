import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { archivePosts, eraseArchivedAccounts } from "#archive/index.ts";
import { HOUR } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { deletePersonalData } from "#post-status/index.ts";
import { getPost, listArchivedPosts, listAttempts } from "#posts/index.ts";
import { createAccount, type TestContext } from "../posts/test-context.ts";
import {
  createArchiveContext,
  idsInDatabase,
  insertPosts,
  keysInBucket,
  NOW,
  OLD,
  runPass,
  startNextPass,
  useArchiveClock,
} from "./test-context.ts";

useArchiveClock();

/** What the archive holds of the workspace, as text. */
async function archivedText(ctx: TestContext): Promise<string> {
  const texts = await Promise.all(
    (await keysInBucket(ctx.actor)).map(async (key) => {
      const object = await env.MEDIA.get(key);
      return await new Response(object!.body.pipeThrough(new DecompressionStream("gzip"))).text();
    }),
  );
  return texts.join("");
}

/** The request of the platform to delete the data of the person who connected the account. */
async function requestDeletion(accountId: string) {
  const connection = await env.DB.prepare(
    "SELECT c.external_id AS id, c.platform AS platform FROM accounts a JOIN connections c ON c.id = a.connection_id WHERE a.id = ?",
  )
    .bind(accountId)
    .first<{ id: string; platform: "x" }>();
  const deletion = {
    code: crypto.randomUUID(),
    platform: connection!.platform,
    externalId: connection!.id,
    issuedAt: NOW,
  };
  await env.DB.prepare(
    "INSERT INTO data_deletions (code, platform, person_hash, external_id, issued_at, requested_at) VALUES (?1, ?2, ?1, ?3, ?4, ?4)",
  )
    .bind(deletion.code, deletion.platform, deletion.externalId, NOW)
    .run();
  return deletion;
}

async function isComplete({ code }: { readonly code: string }): Promise<boolean> {
  const row = await env.DB.prepare("SELECT completed_at AS at FROM data_deletions WHERE code = ?")
    .bind(code)
    .first<{ at: number | null }>();
  return row?.at !== null;
}

describe("deletion of a person's data", () => {
  test("reaches archived posts of every month; the author's words and the other accounts stay", async () => {
    const ctx = await createArchiveContext();
    const [person, other] = [await createAccount(ctx), await createAccount(ctx)];
    const ids = await insertPosts(ctx.actor, [
      { states: ["published", "published"], accountIds: [person, other] },
      { at: Date.UTC(2030, 2, 1), accountIds: [person] },
      { at: Date.UTC(2030, 1, 1), accountIds: [other] },
    ]);
    await runPass(ctx);
    const untouched = (await keysInBucket(ctx.actor)).find((key) => key.includes("/2030-02/")) ?? "";
    const etag = (await env.MEDIA.head(untouched))?.etag;
    const deletion = await requestDeletion(person);
    await deletePersonalData(ctx, deletion);
    expect(await isComplete(deletion)).toBe(true);
    const post = await getPost(ctx, { id: ids[0] ?? "" });
    expect(post.caption).toBe("The glaze of day 0");
    expect(post.targets).toMatchObject([
      { accountId: person, username: "deleted", platformPostId: null, platformPostUrl: null, status: "published" },
      { accountId: other, username: "ada_makes", platformPostId: "remote-1" },
    ]);
    expect((await listAttempts(ctx, { id: ids[0] ?? "" })).map(({ accountId }) => accountId)).toEqual([other]);
    expect((await listArchivedPosts(ctx, { limit: 9, offset: 0, order: "asc", fields: "full" })).posts).toHaveLength(3);
    expect((await env.MEDIA.head(untouched))?.etag).toBe(etag);
    expect((await keysInBucket(ctx.actor)).length).toBe(3);
    const size = await env.DB.prepare("SELECT sum(size_bytes) AS n FROM archive_parts WHERE workspace_id = ?")
      .bind(ctx.actor.workspaceId)
      .first<number>("n");
    const { objects } = await env.MEDIA.list({ prefix: `archive/${ctx.actor.workspaceId}/` });
    expect(size).toBe(objects.reduce((sum, object) => sum + object.size, 0));
  });

  test("reaches posts that are being archived at that moment", async () => {
    for (const point of ["archive.before_part", "archive.after_part", "archive.after_commit"]) {
      const ctx = await createArchiveContext();
      const person = await createAccount(ctx);
      await insertPosts(ctx.actor, [{ accountIds: [person] }, { at: OLD + HOUR, accountIds: [person] }]);
      const deletion = await requestDeletion(person);
      setFailpointHook(async (name) => {
        if (name === point) {
          setFailpointHook(undefined);
          await deletePersonalData(ctx, deletion);
        }
      });
      await archivePosts(ctx);
      await startNextPass();
      await runPass(ctx);
      expect(await isComplete(deletion), point).toBe(true);
      const { results } = await env.DB.prepare(
        "SELECT t.* FROM post_targets t JOIN posts p ON p.id = t.post_id WHERE p.workspace_id = ?",
      )
        .bind(ctx.actor.workspaceId)
        .all();
      const everything = JSON.stringify(results) + (await archivedText(ctx));
      expect(everything, point).not.toContain("ada_makes");
      expect(everything, point).not.toContain("remote-1");
    }
  });

  test("reaches a file that the index does not name: of an interrupted move, and of a database that was put back", async () => {
    const ctx = await createArchiveContext();
    const [person, other] = [await createAccount(ctx), await createAccount(ctx)];
    await insertPosts(ctx.actor, [{ states: ["published", "published"], accountIds: [person, other] }]);
    setFailpointHook((name) => {
      if (name === "archive.after_part") {
        throw new Error("ended");
      }
      return Promise.resolve();
    });
    await archivePosts(ctx).catch(() => null);
    setFailpointHook(undefined);
    await insertPosts(ctx.actor, [{ at: Date.UTC(2030, 1, 1), accountIds: [other] }]);
    await startNextPass();
    await runPass(ctx);
    // The index of the database as it was before.
    await env.DB.prepare("DELETE FROM archive_parts WHERE workspace_id = ?").bind(ctx.actor.workspaceId).run();
    const files = await keysInBucket(ctx.actor);
    expect(files).toHaveLength(3);
    const untouched = files.find((key) => key.includes("/2030-02/")) ?? "";
    const etag = (await env.MEDIA.head(untouched))?.etag;
    const deletion = await requestDeletion(person);
    await deletePersonalData(ctx, deletion);
    expect(await isComplete(deletion)).toBe(true);
    const erased = await archivedText(ctx);
    expect(erased.match(/"username":"deleted"/g)).toHaveLength(2);
    expect(erased.match(/"username":"ada_makes"/g)).toHaveLength(3);
    expect(await keysInBucket(ctx.actor)).toEqual(files);
    expect((await env.MEDIA.head(untouched))?.etag).toBe(etag);
  });

  test("stays open while a part cannot be rewritten, and is finished by a later try", async () => {
    const ctx = await createArchiveContext();
    const person = await createAccount(ctx);
    await insertPosts(ctx.actor, [{ accountIds: [person] }]);
    await runPass(ctx);
    const deletion = await requestDeletion(person);
    const bucket = {
      get: env.MEDIA.get.bind(env.MEDIA),
      list: env.MEDIA.list.bind(env.MEDIA),
      put: () => Promise.reject(new Error("R2 is not there")),
    } as unknown as R2Bucket;
    await expect(deletePersonalData({ ...ctx, bucket }, deletion)).rejects.toThrow("R2 is not there");
    expect(await isComplete(deletion)).toBe(false);
    await deletePersonalData(ctx, deletion);
    expect(await isComplete(deletion)).toBe(true);
    expect(await archivedText(ctx)).not.toContain("ada_makes");
  });

  test("of two persons at once rewrites a part of both twice, and neither undoes the other", async () => {
    const ctx = await createArchiveContext();
    const persons = [await createAccount(ctx), await createAccount(ctx), await createAccount(ctx)];
    await insertPosts(ctx.actor, [{ states: ["published", "published", "published"], accountIds: persons }]);
    await runPass(ctx);
    await Promise.all(
      persons.map(
        async (accountId) =>
          await eraseArchivedAccounts(ctx, { workspaceIds: [ctx.actor.workspaceId], accountIds: [accountId] }),
      ),
    );
    expect(await archivedText(ctx)).not.toContain("ada_makes");
    expect(await idsInDatabase(ctx.actor)).toEqual([]);
  });
});
