import { z } from "@hono/zod-openapi";
import type { JsonObject, JsonValue } from "#core/json.ts";
import type { Platform } from "#core/platform.ts";
import {
  type Adapter,
  type CommitOutcome,
  defineAdapter,
  type ValidationInput,
  type Job,
  type PlatformLimits,
  type PostAppearance,
  type PrepareOutcome,
  type ValidationProblem,
  type VerifyOutcome,
  type PlatformClient,
} from "#platforms/contract.ts";
import { BROWSER_LOGIN } from "#platforms/defer-calls.ts";
import { commonOptions } from "#platforms/options.ts";
import { redirectLogin } from "#platforms/redirect-login.ts";

/** The outcomes that the adapter returns: each list in order, then its last element again. */
export interface AdapterScript {
  readonly prepare?: readonly PrepareOutcome[];
  readonly commit?: readonly CommitOutcome[];
  readonly verify?: readonly VerifyOutcome[];
  readonly captionMax?: number;
  readonly dailyCaps?: PlatformLimits["dailyCaps"];
  readonly duplicateText?: PlatformLimits["duplicateText"];
  readonly prepareAheadMs?: number;
  readonly fetchCapabilities?: Adapter["fetchCapabilities"];
  readonly dailyCapsOf?: (capabilities: JsonObject) => PlatformLimits["dailyCaps"];
  /** A required option, like YouTube's title. */
  readonly requiredOption?: string;
}

interface AdapterCall {
  readonly step: "prepare" | "commit" | "verify";
  readonly job: Job;
  readonly argument: JsonValue | undefined;
}

export interface ScriptedAdapter extends Adapter {
  /** Every call of a step, in order. */
  readonly calls: readonly AdapterCall[];
}

/** A feed that shows everything. */
export function plainAppearance(text: string): PostAppearance {
  return {
    format: null,
    order: "text_first",
    title: null,
    text,
    cut: null,
    marks: [],
    media: { ratio: { min: 0, max: Infinity }, several: "own", fit: "cover" },
    lines: [],
  };
}

/** An adapter that returns scripted outcomes and records its calls; the default of `placement` depends on the media. */
export function scriptedAdapter(platform: Platform, script: AdapterScript = {}): ScriptedAdapter {
  const calls: AdapterCall[] = [];
  const max = script.captionMax ?? 100;
  const limits: PlatformLimits = {
    caption: { max, unit: "characters" },
    media: {
      textOnly: true,
      images: { max: 4, maxBytes: 1_000_000, contentTypes: ["image/png"] },
      videos: { max: 1, maxBytes: 1_000_000, contentTypes: ["video/mp4"], minSeconds: 0, maxSeconds: 60 },
      mixed: false,
      altText: { types: ["image"], max: 1000 },
      covers: { atMs: true, image: null },
    },
    rules: [],
    dailyCaps: script.dailyCaps ?? [],
    duplicateText: script.duplicateText ?? null,
  };
  const callCounts = { prepare: 0, commit: 0, verify: 0 };

  function next<Outcome>(
    step: AdapterCall["step"],
    job: Job,
    argument: JsonValue | undefined,
    outcomes: readonly Outcome[],
  ): Outcome {
    calls.push({ step, job, argument });
    const outcome = outcomes[Math.min(callCounts[step]++, outcomes.length - 1)];
    if (outcome === undefined) {
      throw new Error(`no outcome scripted for ${step}`);
    }
    return outcome;
  }

  const adapter = defineAdapter({
    platform,
    hosts: [`api.${platform}.example`],
    hasUserNamedHosts: false,
    operatorCredentials: "required",
    dataPolicy: { use: "Tests.", revoke: "Nowhere.", statements: [], links: [] },
    limits,
    options: z.looseObject({ title: z.string().optional(), thread: z.unknown(), ...commonOptions }),
    connect: {
      methods: [
        {
          ...BROWSER_LOGIN,
          ...redirectLogin({
            authorizeUrl: () => new URL(`https://api.${platform}.example/authorize`),
            exchangeCode: () => Promise.reject(new Error("not scripted")),
          }),
        },
      ],
      listAccounts: () => Promise.reject(new Error("not scripted")),
      tokenRefresh: { kind: "none" },
      revoke: null,
    },
    validate: (input: ValidationInput) => validateByScript(input, max, script),
    appearance: ({ caption }) => plainAppearance(caption),
    ...(script.fetchCapabilities && { fetchCapabilities: script.fetchCapabilities }),
    limitsOf: (capabilities) => ({
      ...limits,
      dailyCaps: script.dailyCapsOf?.(capabilities) ?? limits.dailyCaps,
    }),
    prepareAheadMs: (job) => (job.media.length > 0 ? (script.prepareAheadMs ?? 0) : 0),
    async prepare(_client: PlatformClient, job: Job, cursor: JsonValue | undefined) {
      return next("prepare", job, cursor, script.prepare ?? [{ state: "ready", ref: null }]);
    },
    async commit(_client: PlatformClient, job: Job, ref: JsonValue) {
      const published: CommitOutcome = { state: "published", remoteId: `${platform}-${calls.length}`, url: null };
      return next("commit", job, ref, script.commit ?? [published]);
    },
    async verify(_client: PlatformClient, job: Job, ref: JsonValue) {
      return next("verify", job, ref, script.verify ?? [{ state: "absent" }]);
    },
  });
  return { ...adapter, calls };
}

function validateByScript({ caption, options, media, account }: ValidationInput, max: number, script: AdapterScript) {
  const problems: ValidationProblem[] = [];
  const limit = typeof account.capabilities["captionMax"] === "number" ? account.capabilities["captionMax"] : max;
  const length = [...caption].length;
  if (length > limit) {
    problems.push({
      code: "caption_too_long",
      message: "the caption is too long",
      param: "caption",
      limit,
      actual: length,
    });
  }
  if (options["title"] !== undefined && typeof options["title"] !== "string") {
    problems.push({ code: "option_invalid", message: "title must be a text", param: "platform_options.title" });
  }
  if (script.requiredOption !== undefined && options[script.requiredOption] === undefined) {
    const param = `platform_options.${script.requiredOption}`;
    problems.push({ code: "option_required", message: `${script.requiredOption} is required`, param });
  }
  const placement = media.length === 0 ? null : media.some(({ type }) => type === "video") ? "reels" : "timeline";
  if (options["placement"] === "reels" && placement !== "reels") {
    problems.push({ code: "option_invalid", message: "reels need a video", param: "platform_options.placement" });
  }
  for (const [index, { contentType }] of media.entries()) {
    if (contentType === "image/gif") {
      problems.push({ code: "media_type_unsupported", message: "no GIFs", param: `media_items[${index}]` });
    }
  }
  const withDefaults: JsonObject = { ...(placement !== null && { placement }), share: true, ...options };
  return {
    options: withDefaults,
    placement,
    captionLength: length,
    captionLimit: limit,
    problems,
    warnings: [],
    cost: null,
  };
}
