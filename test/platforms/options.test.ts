import { exports } from "cloudflare:workers";
import { describe, test } from "vitest";
import { HOUR, toIsoInstant } from "#core/clock.ts";
import { sha256Hex } from "#core/encoding.ts";
import type { JsonObject, JsonValue } from "#core/json.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import { toOptionsSchema } from "#platforms/options-schema.ts";
import type { PublishedExtra } from "#sandbox/contract.ts";
import {
  type Account,
  connectInBrowser,
  createUniqueFile,
  type JourneyFile,
  type MediaItem,
  publishedPosts,
  readPost,
  runAlarmsUntilIdle,
  schedulePost,
  uploadFile,
  useJourneyClock,
} from "../journeys/journey-driver.ts";
import { concatBytes } from "../media/bytes.ts";
import p3 from "../media/samples/p3.jpg.bin";
import { validationInput } from "../support/adapter-inputs.ts";
import { callApi } from "../support/call-api.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";
import {
  commonPost,
  type OptionRow,
  type RefusedValue,
  type SeenPost,
  type TableFile,
  type TablePost,
} from "../support/option-table.ts";
import { optionTableOf } from "../support/option-tables.ts";
import { ORIGIN } from "../support/origin.ts";
import { sampleOf } from "../support/platform-samples.ts";
import { adapterOf } from "../support/publish-sample.ts";

/*
 * Every option of every platform, through the service: it is taken, it reaches the platform as it was asked for, an edit changes
 * what reaches the platform, and what the platform would refuse is refused before. An option without a row fails.
 */

// Two days are enough for the quotas, and no login ends.
useJourneyClock("2037-01-01T09:00:00Z", 2);

async function fileOf(file: TableFile): Promise<JourneyFile> {
  if (typeof file === "string") {
    return await createUniqueFile(file);
  }
  const original = new Uint8Array(p3);
  const bytes = concatBytes(original, new Uint8Array(file.sizeBytes - original.length));
  return { name: file.name, bytes, sha256: await sha256Hex(bytes) };
}

interface Setting {
  readonly platform: Platform;
  readonly caller: ApiCaller;
  readonly account: (name: string | undefined) => Account;
  readonly upload: (file: TableFile) => Promise<{ readonly item: MediaItem; readonly sha256: string }>;
}

/** One for each platform: logging in and uploading would be most of the time. */
const settings = new Map<Platform, Promise<Setting>>();

function settingOf(platform: Platform): Promise<Setting> {
  const setting = settings.get(platform) ?? createSetting(platform);
  settings.set(platform, setting);
  return setting;
}

async function createSetting(platform: Platform): Promise<Setting> {
  const caller = await createCaller();
  const { accounts } = await connectInBrowser(caller, platform);
  const uploads = new Map<string, ReturnType<Setting["upload"]>>();
  return {
    platform,
    caller,
    account: (name) => {
      const account = accounts.find(({ display_name: own }) => name === undefined || own === name);
      if (!account) {
        throw new Error(`${platform} has no account ${name}`);
      }
      return account;
    },
    upload: async (file) => {
      const key = JSON.stringify(file);
      const upload = uploads.get(key) ?? uploadOnce(caller, file);
      uploads.set(key, upload);
      return await upload;
    },
  };
}

async function uploadOnce(caller: ApiCaller, file: TableFile) {
  const bytes = await fileOf(file);
  return { item: await uploadFile(caller, bytes), sha256: bytes.sha256 };
}

async function publishedExtras(platform: Platform): Promise<readonly PublishedExtra[]> {
  const response = await exports.default.fetch(`${ORIGIN}/sandbox/platforms/${platform}/extras`);
  return (await response.json<{ extras: readonly PublishedExtra[] }>()).extras;
}

/** Publishes the post, and reads what the platform has since. */
async function publish(
  { platform, caller }: Setting,
  post: { readonly id: string; readonly scheduled_at: string },
  uploaded: readonly string[],
): Promise<SeenPost> {
  const before = await publishedPosts(platform);
  const extrasBefore = new Set((await publishedExtras(platform)).map(({ id }) => id));
  await runAlarmsUntilIdle([post]);
  const read = await readPost(caller, post.id);
  if (read.status !== "published") {
    throw new Error(JSON.stringify(read.targets));
  }
  const all = (await publishedPosts(platform)).slice(before.length);
  const [first] = all;
  if (!first) {
    throw new Error(`nothing was published: ${JSON.stringify(read)}`);
  }
  return {
    ...first,
    all,
    media: first.media.map(({ sha256 }) => (uploaded.includes(sha256) ? "same" : sha256)),
    extras: (await publishedExtras(platform)).filter(({ id }) => !extrasBefore.has(id)),
  };
}

const valuesOf = ({ needed, rows }: TablePost, value: (row: OptionRow) => JsonValue): JsonObject => ({
  ...needed,
  ...Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, value(row)])),
});

function expectedOf({ sent, taken, edited }: OptionRow): readonly [JsonValue, JsonValue] | null {
  return sent === "differs" ? null : (sent ?? [taken, edited]);
}

/** What every post of the platform needs. */
const neededOf = (platform: Platform): JsonObject => optionTableOf(platform).needed ?? sampleOf(platform).post.options;

const postsOf = (platform: Platform): readonly TablePost[] => [
  ...optionTableOf(platform).posts,
  commonPost({ files: sampleOf(platform).post.files, options: neededOf(platform) }),
];

describe.each(PLATFORMS)("%s", (platform) => {
  const posts = postsOf(platform);
  const adapter = adapterOf(platform);

  test("has a row for each option", ({ expect }) => {
    const rows = posts.flatMap((post) => Object.keys(post.rows));
    const properties = toOptionsSchema(adapter)["properties"] as JsonObject;
    expect([...new Set(rows)].toSorted()).toEqual(Object.keys(properties).toSorted());
  });

  test("adds nothing to a post without options, whose hash stays what it was", ({ expect }) => {
    const { media, options, capabilities, settings = {} } = sampleOf(platform).post;
    const input = validationInput({ media, settings, options, ...(capabilities && { capabilities }) });
    expect(adapter.validate(input).options).toEqual({ ...options, ...optionTableOf(platform).plain });
  });

  test.for(posts.map((post) => [post.what, Object.keys(post.rows).join(", "), post] as const))(
    "%s: %s",
    async ([, , post], { expect }) => {
      const setting = await settingOf(platform);
      const { caller } = setting;
      const { id: account_id } = setting.account(post.accountName);
      const uploads = await Promise.all(post.files.map(setting.upload));
      const uploaded = uploads.map(({ sha256 }) => sha256);
      const schedule = async (hours: number, platform_options: JsonObject) =>
        await schedulePost(caller, {
          caption: `An option, ${crypto.randomUUID()}`,
          scheduled_at: toIsoInstant(Date.now() + hours * HOUR),
          media_items: uploads.map(({ item }) => item),
          targets: [{ account_id, platform_options }],
        });

      const taken = valuesOf(post, (row) => row.taken);
      const first = await schedule(1, taken);
      const shown = valuesOf(post, (row) => row.shown?.[0] ?? row.taken);
      expect(first.preview.targets[0]?.platform_options).toMatchObject(shown);
      expect(first.post.targets[0]?.platform_options).toMatchObject(shown);
      const second = await schedule(
        4,
        valuesOf(post, (row) => row.beforeEdit ?? row.taken),
      );
      const edited = valuesOf(post, (row) => row.edited);
      const preview = await callApi(caller, {
        method: "POST",
        path: "/posts/edit/preview",
        body: { post_ids: [second.post.id], target_options: [{ account_id, platform_options: edited }] },
      });
      expect(preview.status, JSON.stringify(preview.body)).toBe(200);
      const shownAfter = valuesOf(post, (row) => row.shown?.[1] ?? row.edited);
      expect(preview.body.preview.posts[0].after.targets[0].platform_options).toMatchObject(shownAfter);
      const { confirmation_token } = preview.body;
      const confirmed = await callApi(caller, {
        method: "POST",
        path: "/posts/edit/confirm",
        body: { confirmation_token },
      });
      expect(confirmed.body.posts[0].targets[0].platform_options).toMatchObject(shownAfter);

      const seen = [
        await publish(setting, first.post, uploaded),
        await publish(setting, confirmed.body.posts[0], uploaded),
      ] as const;
      for (const [name, row] of Object.entries(post.rows)) {
        const read = seen.map((one) => row.read(one) ?? null);
        const expected = expectedOf(row);
        if (expected) {
          expect(read, name).toEqual(expected);
        } else {
          expect(new Set([...read, null]).size, `${name} is the same after the edit: ${JSON.stringify(read)}`).toBe(3);
        }
      }
    },
  );

  test("refuses what the platform would, with the place and the limit", async ({ expect }) => {
    const setting = await settingOf(platform);
    for (const post of posts) {
      for (const [name, { refused, ignoredWith, taken }] of Object.entries(post.rows)) {
        for (const value of refused) {
          const what = `${name} = ${JSON.stringify(value).slice(0, 120)}`;
          const { status, body } = await previewWith(setting, post, { [name]: value.value, ...value.with }, value);
          expect(status, what).toBe(400);
          const param = value.param ?? `targets[0].platform_options.${name}${value.at ?? ""}`;
          const found = (body.details as readonly Problem[]).filter(
            (problem) => problem.param === param && problem.code === value.code,
          );
          expect(found, `${what}: ${JSON.stringify(body.details)}`).toHaveLength(1);
          expect(found[0]?.message, what).toMatch(value.says);
          const [, limit] = /at (?:most|least) (?<limit>\d+)/.exec(found[0]?.message ?? "") ?? [];
          expect(found[0]?.limit, what).toBe(limit === undefined ? found[0]?.limit : Number(limit));
        }
        if (ignoredWith) {
          const { status, body } = await previewWith(setting, post, { [name]: taken }, { files: ignoredWith });
          expect(status, `${name}: ${JSON.stringify(body.details)}`).toBe(200);
          expect(body.preview.targets[0].warnings, name).toContainEqual({
            code: "option_ignored",
            message: expect.stringContaining(name),
          });
        }
      }
    }
  });
});

interface Problem {
  readonly code: string;
  readonly param?: string;
  readonly message: string;
  readonly limit?: number | string;
}

/** The preview of a post with these options and what its platform cannot do without. */
async function previewWith(
  { platform, caller, account, upload }: Setting,
  post: TablePost,
  options: JsonObject,
  { files = post.files, accountName = post.accountName }: Pick<RefusedValue, "files" | "accountName">,
) {
  const uploads = await Promise.all(files.map(upload));
  const platform_options = { ...neededOf(platform), ...post.needed, ...options };
  return await callApi(caller, {
    method: "POST",
    path: "/posts/preview",
    body: {
      caption: "An option",
      scheduled_at: toIsoInstant(Date.now() + HOUR),
      media_items: uploads.map(({ item }) => item),
      targets: [{ account_id: account(accountName).id, platform_options }],
    },
  });
}
