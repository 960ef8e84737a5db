import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { z } from "@hono/zod-openapi";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { PLATFORMS } from "#core/platform.ts";
import type { AccountAccess, Adapter, ValidationInput, MediaDescription, Fault, Job } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { accountAccess, validationInput, image, job, SECRETS, video } from "../support/adapter-inputs.ts";
import { expectNoSecret, FAILURES } from "../support/platform-failures.ts";
import { sampleOf } from "../support/platform-samples.ts";
import { scriptedClient } from "../support/scripted-http-client.ts";
import { logIn, prepareUntilReady, sampleMedia } from "../support/drive-simulator.ts";
import { appOf, CONNECT_CHECK_NAMES, CONNECT_CHECKS, expectHosts } from "./connect-checks.ts";

/*
 * The contract tests of every adapter: what the rest of the service relies on. conformance-mutants.test.ts shows that broken
 * connectors fail them.
 */

const adapters = PLATFORMS.flatMap((platform) => adapterFor(platform) ?? []);

const FUTURE = Date.parse("2032-01-01T00:00:00Z");
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: FUTURE });
});
afterEach(() => {
  vi.useRealTimers();
});

function inputFor(adapter: Adapter, overrides: Parameters<typeof validationInput>[0] = {}): ValidationInput {
  const { media, options, capabilities, settings } = sampleOf(adapter.platform).post;
  return validationInput({
    media,
    options,
    ...(capabilities && { capabilities }),
    ...(settings && { settings }),
    ...overrides,
  });
}

function jobFor(adapter: Adapter, overrides: Parameters<typeof job>[0] = {}): Job {
  const { media } = sampleOf(adapter.platform).post;
  return job({
    media,
    options: adapter.validate(inputFor(adapter)).options,
    account: accountOf(adapter),
    ...overrides,
  });
}

const codes = (adapter: Adapter, overrides: Parameters<typeof validationInput>[0]) =>
  adapter.validate(inputFor(adapter, overrides)).problems.map((problem) => problem.code);

/** The sample's account, with secrets as its tokens. */
function accountOf(adapter: Adapter): AccountAccess {
  const { post, connect } = sampleOf(adapter.platform);
  return accountAccess({ app: appOf(adapter), extra: connect.tokens.extra ?? {}, ...post.account });
}

describe.each(adapters)("$platform: validation", (adapter) => {
  test("the smallest post has no problem, and validating does not change its input", ({ expect }) => {
    const input = inputFor(adapter);
    const before = structuredClone(input);
    expect(adapter.validate(input).problems).toEqual([]);
    expect(input).toEqual(before);
  });

  test("defaults are filled in, are JSON values, and validating them again changes nothing", ({ expect }) => {
    const { options } = adapter.validate(inputFor(adapter));
    expect(JSON.parse(JSON.stringify(options))).toEqual(options);
    expect(adapter.validate(inputFor(adapter, { options })).options).toEqual(options);
  });

  test("unknown options are accepted and kept", ({ expect }) => {
    const options = { ...sampleOf(adapter.platform).post.options, something_else: { deep: [1, null] } };
    const validation = adapter.validate(inputFor(adapter, { options }));
    expect(validation.problems).toEqual([]);
    expect(validation.options["something_else"]).toEqual({ deep: [1, null] });
  });

  test("a known option of the wrong type is a problem that names the option", ({ expect }) => {
    const schema = z.toJSONSchema(adapter.options, { io: "input" }) as {
      properties?: Record<string, { readonly type?: string }>;
    };
    for (const [name, { type }] of Object.entries(schema.properties ?? {})) {
      for (const wrong of [{ a: 1 }, type === "integer" ? "12" : 12, [7]] as JsonValue[]) {
        const options = { ...sampleOf(adapter.platform).post.options, [name]: wrong };
        const named = adapter
          .validate(inputFor(adapter, { options }))
          .problems.filter((problem) => problem.param.startsWith(`platform_options.${name}`));
        expect(
          named.map((problem) => problem.code),
          `${name} ${JSON.stringify(wrong)}`,
        ).not.toEqual([]);
      }
    }
  });

  test("a missing required option is a problem that names the option", ({ expect }) => {
    for (const name of Object.keys(sampleOf(adapter.platform).post.options)) {
      const problems = adapter.validate(inputFor(adapter, { options: {} })).problems;
      expect(problems).toContainEqual(
        expect.objectContaining({ code: "option_required", param: `platform_options.${name}` }),
      );
    }
  });

  test("a caption at its limit is valid; one character more is a problem with the limit and the actual length", ({
    expect,
  }) => {
    const { captionLimit, captionLength } = adapter.validate(inputFor(adapter, { caption: "" }));
    const remaining = captionLimit - captionLength;
    expect(codes(adapter, { caption: "a".repeat(remaining) })).not.toContain("caption_too_long");
    const { problems } = adapter.validate(inputFor(adapter, { caption: "a".repeat(remaining + 1) }));
    expect(problems).toContainEqual(
      expect.objectContaining({
        code: "caption_too_long",
        param: "caption",
        limit: captionLimit,
        actual: captionLimit + 1,
      }),
    );
  });

  test("media at its limits is valid; one byte or one item more is a problem", ({ expect }) => {
    const { media } = adapter.limits;
    const withCommonSize = (item: MediaDescription): MediaDescription => ({
      ...item,
      width: 1080,
      height: item.type === "video" ? 1920 : 1350,
    });
    for (const kind of [media.images && "image", media.videos && "video"] as const) {
      const limit = kind === "image" ? media.images : kind === "video" ? media.videos : null;
      if (!limit || !kind) {
        continue;
      }
      const createMedia = kind === "image" ? image : video;
      const item = withCommonSize(createMedia({ contentType: limit.contentTypes[0] ?? "" }));
      const codesWith = (overrides: Partial<MediaDescription>) =>
        codes(adapter, { media: [{ ...item, ...overrides }] });
      expect(codesWith({ sizeBytes: limit.maxBytes })).not.toContain("media_too_large");
      expect(codesWith({ sizeBytes: limit.maxBytes + 1 })).toContain("media_too_large");
      expect(codesWith({ contentType: `${kind}/x-unheard-of` })).toContain("media_type_unsupported");
      expect(codes(adapter, { media: Array.from({ length: limit.max }, () => item) })).not.toContain("media_too_many");
      expect(codes(adapter, { media: Array.from({ length: limit.max + 1 }, () => item) })).toContain("media_too_many");
    }
    if (!media.textOnly) {
      expect(codes(adapter, { media: [] })).toContain("media_required");
    }
    if (media.images && media.videos && !media.mixed) {
      expect(codes(adapter, { media: [withCommonSize(image()), withCommonSize(video())] })).not.toEqual([]);
    }
  });

  test("hostile texts are validated quickly and without a throw", ({ expect }) => {
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
      expect(adapter.validate(inputFor(adapter, { caption })).captionLength).toBeGreaterThan(0);
    }
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test("every problem has a code, a message and a param", ({ expect }) => {
    const { problems } = adapter.validate(
      inputFor(adapter, {
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
  test.for(CONNECT_CHECK_NAMES)("%s", async (name, { expect }) => {
    await CONNECT_CHECKS[name]({ adapter, sample: sampleOf(adapter.platform).connect, expect });
  });
});

/** The outcome, or the state "thrown", which the publisher handles too. */
async function outcomeOf<T>(work: Promise<T>): Promise<T | { state: "thrown" }> {
  return await work.catch(() => ({ state: "thrown" as const }));
}

interface Outcome {
  readonly state: string;
  readonly fault?: Fault;
}

describe.each(adapters)("$platform: prepare and failures", (adapter) => {
  test.for(FAILURES)("prepare: %s publishes nothing and discloses no secret", async ([, script], { expect }) => {
    const client = scriptedClient(script);
    const outcome: Outcome = await outcomeOf(adapter.prepare(client, jobFor(adapter), undefined));
    expect(JSON.parse(JSON.stringify(outcome))).toEqual(outcome);
    expectNoSecret(expect, outcome);
    expectHosts(expect, adapter, client, sampleOf(adapter.platform).connect.tokens.hosts ?? []);
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

describe.each(adapters)("$platform: commit, verify and failures", (adapter) => {
  /** A reference prepared at the simulator, for use with scripted responses. */
  async function prepared(): Promise<{
    readonly post: Job;
    readonly ref: JsonValue;
    readonly hosts: readonly string[];
  }> {
    const { files, options } = sampleOf(adapter.platform).post;
    const { accounts, tokens } = await logIn(adapter, "ada");
    const account: AccountAccess | undefined = accounts[0];
    if (!account) {
      throw new Error("the login has no account");
    }
    const media = await Promise.all(files.map((name) => sampleMedia(name)));
    const boards = adapter.listBoards && "board_ids" in options ? await firstBoard(adapter, account) : {};
    const validation = adapter.validate(
      inputFor(adapter, { media, options: { ...options, ...boards }, capabilities: account.capabilities }),
    );
    const post = {
      ...jobFor(adapter),
      account,
      media,
      options: validation.options,
      now: Date.now(),
      dueAt: Date.now(),
    };
    return { post, ref: await prepareUntilReady(adapter, post), hosts: tokens.hosts ?? [] };
  }

  async function firstBoard(adapter_: Adapter, account: AccountAccess): Promise<JsonObject> {
    const { simulatedClient } = await import("../support/drive-simulator.ts");
    const boards = await adapter_.listBoards?.(simulatedClient(adapter_), account);
    return boards?.ok && boards.value[0] ? { board_ids: [boards.value[0].id] } : {};
  }

  const withSecretTokens = (post: Job): Job => ({
    ...post,
    now: FUTURE,
    account: accountAccess({
      ...post.account,
      accessToken: SECRETS[0],
      loginToken: SECRETS[1],
      app: accountAccess().app,
    }),
  });

  test("commit distinguishes refused from uncertain and never returns a temporary fault", async ({ expect }) => {
    const { post, ref, hosts } = await prepared();
    expect(JSON.parse(JSON.stringify(ref))).toEqual(ref);
    for (const [name, script] of FAILURES) {
      const client = scriptedClient(script);
      const outcome: Outcome = await outcomeOf(adapter.commit(client, withSecretTokens(post), ref));
      expect(client.requests.length, `${name}: exactly one visible call`).toBeGreaterThan(0);
      expectHosts(expect, adapter, client, hosts);
      expectNoSecret(expect, outcome);
      expect(outcome.fault?.kind, name).not.toBe("temporary");
      expect(outcome.state, name).not.toBe("published");
      if (name === "401") {
        expect(outcome, name).toMatchObject({ state: "refused", fault: { kind: "reconnect" } });
      } else if (name.startsWith("429")) {
        expect(outcome, name).toMatchObject({ state: "refused", fault: { kind: "rate_limited" } });
      } else if (name !== "403") {
        // A success status without a usable body may count as accepted, which verify then checks.
        const isSuccess = typeof script === "object" && script.status === 200;
        expect(["uncertain", "thrown", ...(isSuccess ? ["accepted"] : [])], name).toContain(outcome.state);
      }
      if (name === "429 with Retry-After") {
        expect(outcome, name).toMatchObject({ fault: { retryAfterSeconds: 77 } });
      }
    }
  });

  test("verify never reports a post as absent after a response that it could not read", async ({ expect }) => {
    const { post, ref, hosts } = await prepared();
    for (const elapsed of [30_000, 300_000, 3_600_000]) {
      for (const [name, script] of FAILURES) {
        const client = scriptedClient(script);
        const committedPost = { ...withSecretTokens(post), committedAt: FUTURE, now: FUTURE + elapsed };
        const outcome: Outcome = await outcomeOf(adapter.verify(client, committedPost, ref));
        expectHosts(expect, adapter, client, hosts);
        expectNoSecret(expect, outcome);
        expect(["again", "cannot_tell", "thrown", "refused"], `${name} after ${elapsed}`).toContain(outcome.state);
        expect(outcome.fault?.kind, name).not.toBe("rejected");
      }
    }
  });
});
