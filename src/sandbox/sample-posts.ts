import { exports } from "cloudflare:workers";
import { Hono, type Context as HttpContext, type HonoRequest } from "hono";
import { listAccounts, startConnect } from "#accounts/index.ts";
import { resolveSession } from "#auth/index.ts";
import { confirmSchedule, previewSchedule } from "#confirming/index.ts";
import type { Config } from "#config.ts";
import { type Context, createServices } from "#context.ts";
import { MINUTE } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { addDays, instantOf, wallTimeAt } from "#core/wall-time.ts";
import type { ScheduleInput } from "#planning/index.ts";
import { listPosts } from "#posts/index.ts";
import { logInWithBrowser } from "./connect-account.ts";
import type { SandboxEnv } from "./env.ts";
import { sandboxOutbound } from "./outbound.ts";
import type { SampleName } from "./contract.ts";
import { connectInputOf, simulators } from "./registry.ts";

/* Sample posts in the workspace of the person who presses the button: what the product does, seen before anything is written. */

/** How the pages read a request; the entry point hands it in. */
export interface PageRequests {
  readonly readSession: (c: HttpContext) => string | undefined;
  readonly isFromOurPages: (request: HonoRequest, config: Config) => boolean;
}

const LOGIN = "ada";
/** The simulators that publish samples. */
const publishing = Object.values(simulators).filter(({ samplePosts }) => samplePosts !== undefined);
const LABEL = "sample";
const MORNING = 9 * 60;

interface Sample {
  readonly name: SampleName;
  /** Minutes from now, or days from today at nine o'clock. */
  readonly due: { readonly minutes: number } | { readonly days: number };
  readonly caption: string;
  readonly thread?: readonly string[];
  /** Sample files with their descriptions. */
  readonly media?: readonly (readonly [name: string, altText: string | null])[];
}

const SAMPLES: readonly Sample[] = [
  {
    name: "text",
    due: { minutes: 1 },
    caption: "Hello from the sandbox. This post was previewed, confirmed, and published on time.",
  },
  {
    name: "failing",
    due: { minutes: 2 },
    // The marker makes the simulator refuse it.
    caption: "The platform refuses this post as a duplicate: open it to see why, and what to do next. #sim-duplicate",
  },
  {
    name: "thread",
    due: { days: 1 },
    caption: "Three things that a schedule is good for. 1/3",
    thread: [
      "It leaves the evening to you: what is due at eight was written at ten in the morning. 2/3",
      "And it shows the week as a whole, before anybody reads the first line of it. 3/3",
    ],
  },
  {
    name: "carousel",
    due: { days: 2 },
    caption: "Three pictures, in this order: a carousel on one platform, a grid on another.",
    media: [
      ["portrait.jpg", "A gradient in portrait format"],
      ["square.png", "A gradient in a square"],
      ["landscape.webp", "A gradient in landscape format"],
    ],
  },
  {
    name: "reel",
    due: { days: 3 },
    caption: "Three seconds of a square going down.",
    media: [["portrait.mp4", null]],
  },
];

/** The workspaces whose samples are being made: a second press meanwhile makes nothing. */
const inProgress = new Set<string>();

/** `POST /sandbox/sample-posts`: the button of an empty workspace. */
export function samplePostRoutes({ readSession, isFromOurPages }: PageRequests) {
  const app = new Hono<{ Bindings: SandboxEnv }>();
  app.post("/", async (c) => {
    const services = createServices(c.env, sandboxOutbound(c.env), (work) => c.executionCtx.waitUntil(work));
    if (!isFromOurPages(c.req, services.config)) {
      return c.text("This form was submitted from another site.", 403);
    }
    const signedIn = await resolveSession(services, readSession(c));
    if (signedIn === null) {
      return c.redirect("/login?next=/dashboard", 303);
    }
    const { workspaceId } = signedIn.actor;
    if (!inProgress.has(workspaceId)) {
      inProgress.add(workspaceId);
      const work = addSamplePosts({ ...services, actor: signedIn.actor }).finally(() => inProgress.delete(workspaceId));
      // A browser that leaves must not end the work halfway.
      c.executionCtx.waitUntil(work.catch(() => {}));
      await work;
    }
    return c.redirect("/dashboard?view=list", 303);
  });
  return app;
}

/** Connects the accounts that are missing, and schedules the samples that are missing: preview, then confirm. */
async function addSamplePosts(ctx: Context): Promise<void> {
  const accountIds = await connectSampleAccounts(ctx);
  const { posts } = await listPosts(ctx, {
    label: LABEL,
    fields: "full",
    includePast: true,
    order: "asc",
    limit: 100,
    offset: 0,
  });
  const present = new Set(posts.map(({ annotations }) => annotations.externalId));
  for (const sample of SAMPLES.filter(({ name }) => !present.has(externalIdOf(name)))) {
    const { confirmationToken } = await previewSchedule(ctx, toInput(ctx, sample, accountIds));
    await confirmSchedule(ctx, { confirmationToken });
  }
}

/** The account of each platform: the one that is connected already, or the one of the sample login. */
async function connectSampleAccounts(ctx: Context): Promise<ReadonlyMap<Platform, string>> {
  const connected = await listAccounts(ctx, {});
  for (const { platform } of publishing) {
    if (!connected.some((account) => account.platform === platform)) {
      const { connectUrl } = await startConnect(ctx, { platform, input: connectInputOf(platform, LOGIN) });
      await logInWithBrowser((request) => exports.default.fetch(request), ctx.config.origin, connectUrl, {
        ...connectInputOf(platform, LOGIN),
        method: "oauth",
        login: LOGIN,
      });
    }
  }
  const accounts = await listAccounts(ctx, {});
  return new Map(accounts.toReversed().map(({ platform, id }) => [platform, id]));
}

const externalIdOf = (name: string): string => `sample-${name}`;

function toInput(ctx: Context, sample: Sample, accountIds: ReadonlyMap<Platform, string>): ScheduleInput {
  const { name, caption, thread, media, due } = sample;
  return {
    caption,
    scheduledAt: timeOf(ctx, due),
    targets: publishing.flatMap(({ platform, samplePosts }) => {
      const accountId = accountIds.get(platform);
      return accountId === undefined || samplePosts?.includes(name) !== true
        ? []
        : [{ accountId, ...(thread && { platformOptions: { thread: thread.map((part) => ({ caption: part })) } }) }];
    }),
    mediaItems: media?.map(([file, altText]) => ({
      url: `${ctx.config.origin}/sandbox/media/${file}`,
      type: null,
      ...(altText !== null && { altText }),
    })),
    annotations: { externalId: externalIdOf(name), labels: [LABEL], metadata: {}, notes: null },
  };
}

function timeOf({ clock, actor: { timeZone } }: Context, due: Sample["due"]): number {
  const now = clock.now();
  return "minutes" in due
    ? Math.ceil(now / MINUTE + due.minutes) * MINUTE
    : instantOf(timeZone, { date: addDays(wallTimeAt(timeZone, now).date, due.days), minute: MORNING });
}
