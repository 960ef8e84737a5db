import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { z } from "@hono/zod-openapi";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { PLATFORMS, type Platform } from "#core/platform.ts";
import type { AccountAccess, Adapter, ValidationInput, MediaDescription, Fault, Job } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { hostMatches } from "#platforms/client.ts";
import { scriptedClient, type ScriptedResponse, type ScriptedClient } from "../support/scripted-client.ts";
import { accountAccess, validationInput, image, job, NOW, SECRETS, video } from "../support/job-fixtures.ts";
import { logIn, prepareUntilReady, sampleMedia } from "../support/simulated-platform.ts";

/*
 * One suite, every adapter: what the rest of the house relies on without looking.
 */

/** The smallest thing each platform takes, and how it says that a grant is dead. */
interface Sample {
  readonly media: readonly MediaDescription[];
  /** The same from the sandbox's files, where the simulator has to make something first. */
  readonly files: readonly string[];
  readonly options: JsonObject;
  readonly capabilities?: JsonObject;
  readonly deadGrant: ScriptedResponse;
}

const oauthDead: ScriptedResponse = { status: 400, json: { error: "invalid_grant", error_description: "expired" } };
const graphDead: ScriptedResponse = {
  status: 400,
  json: { error: { message: "Error validating access token", type: "OAuthException", code: 190, error_subcode: 463 } },
};
const text: Sample = { media: [], files: [], options: {}, deadGrant: oauthDead };
const clip = { media: [video({ width: 1080, height: 1920 })], files: ["portrait.mp4"] };
const picture = { media: [image()], files: ["portrait.jpg"] };

const SAMPLES: Readonly<Record<Platform, Sample>> = {
  instagram: { ...text, ...picture, deadGrant: graphDead },
  tiktok: { ...text, ...clip },
  youtube: { ...text, ...clip, options: { title: "A title" } },
  linkedin: text,
  x: text,
  facebook: { ...text, deadGrant: graphDead },
  pinterest: { ...text, ...picture, options: { board_ids: ["1"] } },
  threads: { ...text, deadGrant: graphDead },
};

const adapters = PLATFORMS.flatMap((platform) => adapterFor(platform) ?? []);

const FUTURE = Date.parse("2032-01-01T00:00:00Z");
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: FUTURE });
});
afterEach(() => {
  vi.useRealTimers();
});

function draftFor(adapter: Adapter, over: Parameters<typeof validationInput>[0] = {}): ValidationInput {
  const { media, options, capabilities } = SAMPLES[adapter.platform];
  return validationInput({ media, options, ...(capabilities && { capabilities }), ...over });
}

function jobFor(adapter: Adapter, over: Parameters<typeof job>[0] = {}): Job {
  const { media } = SAMPLES[adapter.platform];
  return job({ media, options: adapter.validate(draftFor(adapter)).options, account: accountAccess(), ...over });
}

const codes = (adapter: Adapter, over: Parameters<typeof validationInput>[0]) =>
  adapter.validate(draftFor(adapter, over)).problems.map((problem) => problem.code);

/** Every text in it, the tokens of the login would be seen. */
function expectNoSecret(expect: (value: unknown) => { not: { toContain(part: string): void } }, value: unknown): void {
  const everything = JSON.stringify(value) ?? "";
  for (const secret of SECRETS) {
    expect(everything).not.toContain(secret);
  }
}

const echo = { error: SECRETS[0], detail: SECRETS.join(" "), message: SECRETS.join(" "), title: SECRETS[2] };

/** Statuses that every platform can answer at any time; none carries a body of its own. */
const TROUBLE: readonly (readonly [name: string, script: ScriptedResponse])[] = [
  ["401", { status: 401, json: echo }],
  ["403", { status: 403, json: echo }],
  ["429", { status: 429, json: echo }],
  ["429 with a wait", { status: 429, headers: { "retry-after": "77" }, json: echo }],
  ["500", { status: 500, json: echo }],
  ["503", 503],
  ["a page instead of JSON", { status: 200, text: `<html>${SECRETS[0]}</html>` }],
  ["null", { status: 200, json: null }],
  ["a list", { status: 200, json: [1, 2] }],
  ["a redirect", { status: 302, headers: { location: "https://elsewhere.example.com/" } }],
  ["a lost connection", "connection_lost"],
];

function expectHosts(
  expect: (value: unknown, message?: string) => { toBe(value: unknown): void },
  adapter: Adapter,
  client: ScriptedClient,
): void {
  for (const { url } of client.requests) {
    expect(url.protocol, url.href).toBe("https:");
    expect(hostMatches(adapter.hosts, url.hostname), url.hostname).toBe(true);
  }
}

describe.each(adapters)("$platform: what can be known before publishing", (adapter) => {
  test("the smallest post has no problem and changes nothing it is handed", ({ expect }) => {
    const given = draftFor(adapter);
    const before = structuredClone(given);
    expect(adapter.validate(given).problems).toEqual([]);
    expect(given).toEqual(before);
  });

  test("defaults are filled in, survive JSON and are stable", ({ expect }) => {
    const { options } = adapter.validate(draftFor(adapter));
    expect(JSON.parse(JSON.stringify(options))).toEqual(options);
    expect(adapter.validate(draftFor(adapter, { options })).options).toEqual(options);
  });

  test("unknown options pass and are kept", ({ expect }) => {
    const options = { ...SAMPLES[adapter.platform].options, something_else: { deep: [1, null] } };
    const verdict = adapter.validate(draftFor(adapter, { options }));
    expect(verdict.problems).toEqual([]);
    expect(verdict.options["something_else"]).toEqual({ deep: [1, null] });
  });

  test("every known option names itself when its type is wrong", ({ expect }) => {
    const schema = z.toJSONSchema(adapter.options, { io: "input" }) as { properties?: Record<string, unknown> };
    for (const name of Object.keys(schema.properties ?? {})) {
      for (const wrong of [{ a: 1 }, 12, [7]] as JsonValue[]) {
        const options = { ...SAMPLES[adapter.platform].options, [name]: wrong };
        const named = adapter
          .validate(draftFor(adapter, { options }))
          .problems.filter((problem) => problem.param.startsWith(`platform_options.${name}`));
        expect(
          named.map((problem) => problem.code),
          `${name} ${JSON.stringify(wrong)}`,
        ).not.toEqual([]);
      }
    }
  });

  test("every required option is missed by name", ({ expect }) => {
    for (const name of Object.keys(SAMPLES[adapter.platform].options)) {
      const problems = adapter.validate(draftFor(adapter, { options: {} })).problems;
      expect(problems).toContainEqual(
        expect.objectContaining({ code: "option_required", param: `platform_options.${name}` }),
      );
    }
  });

  test("a caption at its limit is fine and one over is not, with both numbers", ({ expect }) => {
    const { captionLimit, captionLength } = adapter.validate(draftFor(adapter, { caption: "" }));
    const room = captionLimit - captionLength;
    expect(codes(adapter, { caption: "a".repeat(room) })).not.toContain("caption_too_long");
    const { problems } = adapter.validate(draftFor(adapter, { caption: "a".repeat(room + 1) }));
    expect(problems).toContainEqual(
      expect.objectContaining({
        code: "caption_too_long",
        param: "caption",
        limit: captionLimit,
        actual: captionLimit + 1,
      }),
    );
  });

  test("media at its limit is fine and one byte or one item over is not", ({ expect }) => {
    const { media } = adapter.limits;
    const wide = (item: MediaDescription): MediaDescription => ({
      ...item,
      width: 1080,
      height: item.type === "video" ? 1920 : 1350,
    });
    for (const kind of [media.images && "image", media.videos && "video"] as const) {
      const limit = kind === "image" ? media.images : kind === "video" ? media.videos : null;
      if (!limit || !kind) {
        continue;
      }
      const make = kind === "image" ? image : video;
      const item = wide(make({ contentType: limit.contentTypes[0] ?? "" }));
      const too = (over: Partial<MediaDescription>) => codes(adapter, { media: [{ ...item, ...over }] });
      expect(too({ sizeBytes: limit.maxBytes })).not.toContain("media_too_large");
      expect(too({ sizeBytes: limit.maxBytes + 1 })).toContain("media_too_large");
      expect(too({ contentType: `${kind}/x-unheard-of` })).toContain("media_type_unsupported");
      expect(codes(adapter, { media: Array.from({ length: limit.max }, () => item) })).not.toContain("media_too_many");
      expect(codes(adapter, { media: Array.from({ length: limit.max + 1 }, () => item) })).toContain("media_too_many");
    }
    if (!media.textOnly) {
      expect(codes(adapter, { media: [] })).toContain("media_required");
    }
    if (media.images && media.videos && !media.mixed) {
      expect(codes(adapter, { media: [wide(image()), wide(video())] })).not.toEqual([]);
    }
  });

  test("hostile texts are answered soon and never thrown at", ({ expect }) => {
    const started = performance.now();
    for (const caption of [
      "\u0000",
      "\uD800",
      "a-".repeat(30_000),
      "#".repeat(20_000),
      "@a.".repeat(20_000),
      "👨‍👩‍👧‍👦".repeat(5000),
      "http://".repeat(8000),
    ]) {
      expect(adapter.validate(draftFor(adapter, { caption })).captionLength).toBeGreaterThan(0);
    }
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test("every problem is a sentence with a place", ({ expect }) => {
    const { problems } = adapter.validate(
      draftFor(adapter, {
        caption: "a".repeat(200_000),
        media: [video({ contentType: "video/x-no", durationSeconds: 1e6, sizeBytes: 1e13 })],
      }),
    );
    expect(problems.length).toBeGreaterThan(1);
    for (const problem of problems) {
      expect(problem.code).toMatch(/^[a-z_]+$/);
      expect(problem.message.length).toBeGreaterThan(10);
      expect(problem.param).toMatch(/^(caption|account_id|media_items(\[\d+\])?|platform_options\.\w+.*)$/);
    }
  });
});

describe.each(adapters)("$platform: connecting", (adapter) => {
  const { app } = accountAccess();
  const client = (script: ScriptedResponse) => scriptedClient(script);

  test("the browser goes to a safe address with the state, the way back and no secret", ({ expect }) => {
    const url = adapter.connect.authorizeUrl(app, {
      redirectUri: "https://a.example.com/back",
      state: "st4te",
      codeChallenge: "ch4llenge",
    });
    expect(url.protocol).toBe("https:");
    expect(url.searchParams.get("state")).toBe("st4te");
    expect(url.searchParams.get("redirect_uri")).toBe("https://a.example.com/back");
    expectNoSecret(expect, url.href);
  });

  test("a cancelled login is a sentence and no call", async ({ expect }) => {
    const unused = client(500);
    const params = { error: "access_denied", error_description: "no", state: "s" };
    const result = await adapter.connect.exchangeCode(unused, app, {
      redirectUri: "https://a.example.com/back",
      params,
      codeVerifier: "v",
      now: NOW,
    });
    expect(result).toMatchObject({ ok: false, fault: { kind: "rejected", code: "login_cancelled" } });
    expect(unused.requests).toHaveLength(0);
  });

  test.for(TROUBLE)("%s is a fault, never thrown, never a login", async ([, script], { expect }) => {
    const scripted = client(script);
    const exchange = {
      redirectUri: "https://a.example.com/back",
      params: { code: "c", state: "s" },
      codeVerifier: "v",
      now: NOW,
    };
    const tokens = {
      accessToken: SECRETS[0],
      refreshToken: SECRETS[1],
      expiresAt: NOW,
      refreshExpiresAt: null,
      scopes: [],
    };
    const results = [
      await adapter.connect.exchangeCode(scripted, app, exchange),
      await adapter.connect.listAccounts(scripted, app, tokens),
      ...(adapter.connect.refresh ? [await adapter.connect.refresh(scripted, app, tokens, NOW)] : []),
    ];
    for (const result of results) {
      expect(result.ok).toBe(false);
      expectNoSecret(expect, result);
    }
    expectHosts(expect, adapter, scripted);
  });

  test("a dead grant ends the login, a silent platform does not", async ({ expect }) => {
    const { refresh } = adapter.connect;
    if (!refresh) {
      return;
    }
    const tokens = {
      accessToken: SECRETS[0],
      refreshToken: SECRETS[1],
      expiresAt: NOW,
      refreshExpiresAt: null,
      scopes: [],
      extra: {},
    };
    expect(await refresh(client(SAMPLES[adapter.platform].deadGrant), app, tokens, NOW)).toMatchObject({
      ok: false,
      fault: { kind: "reconnect" },
    });
    for (const script of [500, 503, "connection_lost"] as const) {
      expect(await refresh(client(script), app, tokens, NOW)).toMatchObject({
        ok: false,
        fault: { kind: "temporary" },
      });
    }
    expect(await refresh(client(429), app, tokens, NOW)).toMatchObject({ ok: false, fault: { kind: "rate_limited" } });
  });

  test("revoking never throws", async ({ expect }) => {
    const tokens = {
      accessToken: SECRETS[0],
      refreshToken: SECRETS[1],
      expiresAt: NOW,
      refreshExpiresAt: null,
      scopes: [],
      extra: {},
    };
    for (const script of [200, 400, 503, "connection_lost"] as const) {
      await expect(Promise.resolve(adapter.connect.revoke?.(client(script), app, tokens))).resolves.toBeUndefined();
    }
  });
});

/** The outcome, or what the publisher makes of a throw. */
async function outcomeOf<T>(work: Promise<T>): Promise<T | { state: "thrown" }> {
  return await work.catch(() => ({ state: "thrown" as const }));
}

interface Outcome {
  readonly state: string;
  readonly fault?: Fault;
}

describe.each(adapters)("$platform: steps in trouble", (adapter) => {
  test.for(TROUBLE)("prepare: %s publishes nothing and leaks nothing", async ([, script], { expect }) => {
    const client = scriptedClient(script);
    const outcome: Outcome = await outcomeOf(adapter.prepare(client, jobFor(adapter), undefined));
    expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
    expectNoSecret(expect, outcome);
    expectHosts(expect, adapter, client);
    if (client.requests.length > 0) {
      expect(["refused", "again", "thrown"]).toContain(outcome.state);
    }
  });

  test.for<[number, Fault["kind"]]>([
    [401, "reconnect"],
    [429, "rate_limited"],
    [503, "temporary"],
  ])("prepare turns %i into %s", async ([status, kind], { expect }) => {
    const client = scriptedClient(status);
    const outcome: Outcome = await outcomeOf(adapter.prepare(client, jobFor(adapter), undefined));
    if (client.requests.length > 0 && outcome.state !== "thrown") {
      expect(outcome).toMatchObject({ state: "refused", fault: { kind } });
    }
  });
});

describe.each(adapters)("$platform: the visible call in trouble", (adapter) => {
  /** A reference as the platform gives it: made at the simulator once, then handed to scripted answers. */
  async function prepared(): Promise<{ readonly post: Job; readonly ref: JsonValue }> {
    const { files, options } = SAMPLES[adapter.platform];
    const { accounts } = await logIn(adapter, "ada");
    const account: AccountAccess | undefined = accounts[0];
    if (!account) {
      throw new Error("nothing to post to");
    }
    const media = await Promise.all(files.map((name) => sampleMedia(name)));
    const boards = adapter.listBoards && "board_ids" in options ? await firstBoard(adapter, account) : {};
    const verdict = adapter.validate(
      validationInput({ media, options: { ...options, ...boards }, capabilities: account.capabilities }),
    );
    const post = { ...jobFor(adapter), account, media, options: verdict.options, now: Date.now(), dueAt: Date.now() };
    return { post, ref: await prepareUntilReady(adapter, post) };
  }

  async function firstBoard(adapter_: Adapter, account: AccountAccess): Promise<JsonObject> {
    const { simulatedClient } = await import("../support/simulated-platform.ts");
    const boards = await adapter_.listBoards?.(simulatedClient(adapter_), account);
    return boards?.ok && boards.value[0] ? { board_ids: [boards.value[0].id] } : {};
  }

  const safe = (post: Job): Job => ({
    ...post,
    now: FUTURE,
    account: accountAccess({ ...post.account, accessToken: SECRETS[0], loginToken: SECRETS[1], app: accountAccess().app }),
  });

  test("commit tells refused from unknown, and never says temporary", async ({ expect }) => {
    const { post, ref } = await prepared();
    expect(JSON.parse(JSON.stringify(ref))).toEqual(ref);
    for (const [name, script] of TROUBLE) {
      const client = scriptedClient(script);
      const outcome: Outcome = await outcomeOf(adapter.commit(client, safe(post), ref));
      expect(client.requests.length, `${name}: exactly one visible call`).toBeGreaterThan(0);
      expectHosts(expect, adapter, client);
      expectNoSecret(expect, outcome);
      expect(outcome.fault?.kind, name).not.toBe("temporary");
      expect(outcome.state, name).not.toBe("published");
      if (name === "401") {
        expect(outcome, name).toMatchObject({ state: "refused", fault: { kind: "reconnect" } });
      } else if (name.startsWith("429")) {
        expect(outcome, name).toMatchObject({ state: "refused", fault: { kind: "rate_limited" } });
      } else if (name !== "403") {
        // A success that says nothing more may be taken as one whose fate is asked for.
        const isSuccess = typeof script === "object" && script.status === 200;
        expect(["uncertain", "thrown", ...(isSuccess ? ["accepted"] : [])], name).toContain(outcome.state);
      }
      if (name === "429 with a wait") {
        expect(outcome, name).toMatchObject({ fault: { retryAfterSeconds: 77 } });
      }
    }
  });

  test("verify denies nothing that it could not read", async ({ expect }) => {
    const { post, ref } = await prepared();
    for (const elapsed of [30_000, 300_000, 3_600_000]) {
      for (const [name, script] of TROUBLE) {
        const client = scriptedClient(script);
        const looked = { ...safe(post), committedAt: FUTURE, now: FUTURE + elapsed };
        const outcome: Outcome = await outcomeOf(adapter.verify(client, looked, ref));
        expectHosts(expect, adapter, client);
        expectNoSecret(expect, outcome);
        expect(["again", "cannot_tell", "thrown", "refused"], `${name} after ${elapsed}`).toContain(outcome.state);
        expect(outcome.fault?.kind, name).not.toBe("rejected");
      }
    }
  });
});
