import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, Adapter } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { bluesky as adapter } from "#platforms/bluesky/index.ts";
import { refreshTokens } from "../../support/call-connector.ts";
import { job, SECRETS } from "../../support/adapter-inputs.ts";
import {
  injectFault,
  logIn,
  prepareUntilReady,
  publishedPosts,
  publishUntilSettled,
  revokeAtPlatform,
  sampleMedia,
  sandboxCredentials,
  simulatedClient,
  unwrap,
} from "../../support/drive-simulator.ts";

let startTime = Date.parse("2031-01-01T09:00:00Z");
beforeEach(() => {
  startTime += 30 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: startTime });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Like the publisher: a throw in `prepare` is a temporary fault, one in `verify` is asked again. */
const bluesky: Adapter = {
  ...adapter,
  prepare: (...step) =>
    adapter.prepare(...step).catch(() => ({ state: "refused", fault: temporary("thrown", { httpStatus: null }) })),
  verify: (...step) => adapter.verify(...step).catch(() => ({ state: "again", afterSeconds: 5, isProcessing: false })),
};

async function accountOf(login = "ada", settings: Record<string, string> = {}): Promise<AccountAccess> {
  const { accounts } = await logIn(bluesky, login, settings);
  const [account] = accounts;
  if (!account) {
    throw new Error(`${login} has no account`);
  }
  return account;
}

const CREATE = { method: "POST", path: "/xrpc/com.atproto.repo.createRecord" };
const UPLOAD = { method: "POST", path: "/xrpc/com.atproto.repo.uploadBlob" };

const CASES: readonly { readonly kind: string; readonly files: readonly string[]; readonly options?: JsonObject }[] = [
  { kind: "text", files: [] },
  {
    kind: "link card",
    files: [],
    options: { link_card: { uri: "https://a.example.com/", title: "A", description: "" } },
  },
  { kind: "images", files: ["portrait.jpg", "square.png"], options: { alt_texts: ["One", "Two"], langs: ["en"] } },
  { kind: "video", files: ["portrait.mp4"], options: { alt_texts: ["A film"] } },
];
const FAULTS = ["nothing", "drop_before", "drop_after", "answer_after"] as const;

describe.each(CASES)("$kind", ({ kind, files, options }) => {
  test.for(FAULTS)("is published once after %s", async (effect, { expect }) => {
    const account = await accountOf();
    const media = await Promise.all(files.map((name) => sampleMedia(name)));
    const caption = `A ${kind} with ${effect}: @ben.bsky.social #tag https://a.example.com/b 👨‍👩‍👧‍👦`;
    const result = await publishUntilSettled(bluesky, account, { caption, media, options: options ?? {} }, async () => {
      if (effect !== "nothing") {
        await injectFault(bluesky, {
          match: CREATE,
          times: 1,
          effect,
          ...(effect === "answer_after" && { status: 503, body: "sorry" }),
        });
      }
    });
    expect(result, JSON.stringify(result)).toMatchObject({ state: "published" });
    const posts = (await publishedPosts(bluesky, account.platformAccountId)).filter((post) => post.text === caption);
    expect(posts, result.steps.join(" ")).toHaveLength(1);
    expect(posts[0]?.media.map((item) => item.sha256)).toEqual(media.map((item) => item.sha256));
    if (result.state === "published") {
      expect({ id: result.remoteId, url: result.url }).toEqual({ id: posts[0]?.id, url: posts[0]?.url });
    }
  });
});

describe("a run that lost its reference", () => {
  test("finds its record by the key that it derives again", async ({ expect }) => {
    const account = await accountOf();
    const post = job({ account, caption: "Found again", now: Date.now(), dueAt: Date.now() });
    const client = simulatedClient(bluesky);
    const ref = await prepareUntilReady(bluesky, post);
    const committed = { ...post, committedAt: post.now };
    const published = await bluesky.commit(client, committed, ref);
    expect(published).toMatchObject({ state: "published" });
    expect(await bluesky.verify(client, committed, null)).toEqual(published);
    // The same run from the start: the key exists, which the server answers with a bare 500.
    const again = await bluesky.commit(client, committed, await prepareUntilReady(bluesky, post));
    expect(again).toMatchObject({ state: "uncertain", httpStatus: 500 });
    expect(await bluesky.verify(client, committed, null)).toEqual(published);
  });
});

describe("a login", () => {
  test.for([
    ["single permissions", {}],
    ["full access", { SCOPES: "transition" }],
  ] as const)("with %s has the account with every permission", async ([, settings], { expect }) => {
    const { tokens, externalId, accounts } = await logIn(bluesky, "ada", settings);
    expect(accounts).toEqual([expect.objectContaining({ platformAccountId: externalId, username: "ada.bsky.social" })]);
    const client = simulatedClient(bluesky);
    const app = sandboxCredentials(bluesky, settings);
    const listed = unwrap(await bluesky.connect.listAccounts(client, app, tokens));
    expect(listed.accounts[0]?.missingScopes).toEqual([]);
    vi.setSystemTime((tokens.expiresAt ?? 0) - 60_000);
    const refreshed = unwrap(await refreshTokens(bluesky.connect, client, app, tokens, Date.now()));
    expect(refreshed.refreshToken).not.toBe(tokens.refreshToken);
    expect(await bluesky.connect.listAccounts(client, app, refreshed)).toMatchObject({ ok: true });
  });

  test("that is used twice to refresh, or revoked, needs a new one", async ({ expect }) => {
    const client = simulatedClient(bluesky);
    const app = sandboxCredentials(bluesky);
    const { tokens } = await logIn(bluesky, "ada");
    const refreshed = unwrap(await refreshTokens(bluesky.connect, client, app, tokens, Date.now()));
    const ended = { ok: false, fault: { kind: "reconnect" } };
    expect(await refreshTokens(bluesky.connect, client, app, tokens, Date.now())).toMatchObject(ended);
    expect(await refreshTokens(bluesky.connect, client, app, refreshed, Date.now())).toMatchObject(ended);
    const other = (await logIn(bluesky, "ada")).tokens;
    await bluesky.connect.revoke?.(client, app, other);
    expect(await refreshTokens(bluesky.connect, client, app, other, Date.now())).toMatchObject(ended);
  });

  test("that the user revoked is the fault reconnect", async ({ expect }) => {
    const { tokens } = await logIn(bluesky, "ada");
    await revokeAtPlatform(bluesky, "ada");
    expect(
      await refreshTokens(bluesky.connect, simulatedClient(bluesky), sandboxCredentials(bluesky), tokens, Date.now()),
    ).toMatchObject({ ok: false, fault: { kind: "reconnect" } });
  });

  test("with an app password publishes, refreshes within the grace and ends", async ({ expect }) => {
    const method = bluesky.connect.methods.find(({ kind }) => kind === "credentials");
    if (method?.kind !== "credentials") {
      throw new Error("no login with credentials");
    }
    const client = simulatedClient(bluesky);
    const app = sandboxCredentials(bluesky);
    const values = { identifier: "ada.bsky.social", app_password: "adaa-sand-boxx-2222" };
    const { tokens } = unwrap(await method.signIn(client, app, values, Date.now()));
    const [account] = unwrap(await bluesky.connect.listAccounts(client, app, tokens)).accounts;
    const access: AccountAccess = {
      platformAccountId: account?.platformAccountId ?? "",
      username: account?.username ?? "",
      capabilities: {},
      accessToken: tokens.accessToken,
      loginToken: tokens.accessToken,
      extra: tokens.extra ?? {},
      app,
    };
    expect(account?.missingScopes).toEqual([]);
    const media = [await sampleMedia("portrait.jpg")];
    expect(await publishUntilSettled(bluesky, access, { caption: "By app password", media })).toMatchObject({
      state: "published",
    });
    vi.setSystemTime(Date.now() + 3_600_000);
    const first = unwrap(await refreshTokens(bluesky.connect, client, app, tokens, Date.now()));
    const repeated = unwrap(await refreshTokens(bluesky.connect, client, app, tokens, Date.now()));
    expect(repeated.refreshToken).toBe(first.refreshToken);
    await bluesky.connect.revoke?.(client, app, first);
    expect(await refreshTokens(bluesky.connect, client, app, first, Date.now())).toMatchObject({
      ok: false,
      fault: { kind: "reconnect" },
    });
    const wrong = await method.signIn(client, app, { ...values, app_password: "zzzz-zzzz-zzzz-zzzz" }, Date.now());
    expect(wrong).toMatchObject({ ok: false, fault: { kind: "rejected", code: "login_refused" } });
    expect(JSON.stringify(wrong)).not.toContain(SECRETS[0]);
  });
});

describe("uploads", () => {
  test("files that the server deleted are uploaded again", async ({ expect }) => {
    const account = await accountOf();
    const media = [await sampleMedia("portrait.jpg")];
    const result = await publishUntilSettled(bluesky, account, { caption: "Deleted", media }, async () => {
      const body = JSON.stringify({ error: "BlobNotFound", message: "Could not find blob" });
      await injectFault(bluesky, { match: CREATE, times: 1, effect: "answer", status: 400, body });
    });
    expect(result).toMatchObject({ state: "published" });
    expect(result.steps).toContain("commit:stale");
  });

  test("a lost upload is repeated", async ({ expect }) => {
    const account = await accountOf();
    const media = [await sampleMedia("portrait.jpg")];
    await injectFault(bluesky, { match: UPLOAD, times: 1, effect: "drop_after" });
    const result = await publishUntilSettled(bluesky, account, { caption: "Twice uploaded", media });
    expect(result).toMatchObject({ state: "published" });
  });
});
