import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { PLATFORMS } from "#core/platform.ts";
import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, Adapter } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { describeCall } from "../support/describe-call.ts";
import {
  type ConnectedLogin,
  logIn,
  publishUntilSettled,
  sampleMedia,
  sandboxCredentials,
  simulatedClient,
  withCallListener,
} from "../support/drive-simulator.ts";
import { sampleOf } from "../support/platform-samples.ts";

/*
 * The exact calls of a login, one post of each kind, a refresh and a revocation, for comparison with the platform's own
 * documents: docs/platforms/calls/<platform>.md. `npm run platforms:calls` writes them again after a change.
 */

vi.setConfig({ testTimeout: 120_000 });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-02T09:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

const SHAPE = { width: 540, height: 960, durationSeconds: 3 };
const PHOTO = { width: 1080, height: 1350 };

interface RecordedKind {
  readonly title: string;
  readonly files: readonly string[];
  readonly options?: JsonObject;
  /** What the post says of its first file. */
  readonly altText?: string;
  /** Whether its first file has a cover: a picture where the platform takes one, otherwise a moment. */
  readonly hasCover?: true;
}

const KINDS: readonly RecordedKind[] = [
  { title: "A text", files: [] },
  { title: "An image", files: ["portrait.jpg"] },
  { title: "A described image", files: ["portrait.jpg"], altText: "A blue bowl on a table" },
  { title: "Two images", files: ["portrait.jpg", "portrait.jpg"] },
  { title: "A video", files: ["portrait.mp4"] },
  { title: "A video with a cover", files: ["portrait.mp4"], hasCover: true },
  { title: "An image and a video", files: ["portrait.jpg", "portrait.mp4"] },
];

/** The calls that `work` makes, in their order. */
async function recordCalls(work: () => Promise<unknown>): Promise<string> {
  const calls: string[] = [];
  await withCallListener(async (request, status) => {
    calls.push(await describeCall(request, status));
  }, work);
  return calls.length === 0 ? "No call." : `\`\`\`text\n${calls.join("\n")}\n\`\`\``;
}

async function postSections(adapter: Adapter, account: AccountAccess, whose: string): Promise<string[]> {
  const { recorded, furtherKinds } = sampleOf(adapter.platform);
  const boards = await adapter.listBoards?.(simulatedClient(adapter), account);
  const commonOptions = {
    ...sampleOf(adapter.platform).post.options,
    ...(boards?.ok && { board_ids: boards.value.slice(0, 2).map(({ id }) => id) }),
  };
  const sections: string[] = [];
  const kinds: readonly RecordedKind[] = [...KINDS, ...(furtherKinds ?? [])];
  for (const { title, files, options: ownOptions, altText, hasCover } of kinds) {
    const options = { ...commonOptions, ...ownOptions };
    const plain = await Promise.all(
      files.map(async (name, index) =>
        name.endsWith(".mp4")
          ? ((await recorded?.video?.()) ?? (await sampleMedia(name, SHAPE)))
          : sampleMedia(name, { ...PHOTO, ...(index === 0 && altText !== undefined && { altText }) }),
      ),
    );
    const { covers } = adapter.limits.media;
    const cover = covers.image
      ? { image: await sampleMedia("portrait.jpg", PHOTO) }
      : covers.atMs
        ? { atMs: 1500 }
        : null;
    if (hasCover && cover === null) {
      continue;
    }
    const media = plain.map((item) => (hasCover && cover ? { ...item, cover } : item));
    const caption = `${title} of the recorded calls`;
    const { problems } = adapter.validate({
      caption,
      postType: media.length === 0 ? "text" : files.some((name) => name.endsWith(".mp4")) ? "video" : "image",
      media,
      options,
      account,
      settings: account.app.settings,
    });
    if (problems.length === 0) {
      const calls = await recordCalls(async () => {
        const result = await publishUntilSettled(adapter, account, { caption, media, options });
        if (result.state !== "published") {
          throw new Error(`${adapter.platform}: ${title}: ${JSON.stringify(result)}`);
        }
      });
      sections.push(`## ${title}${whose}`, calls);
    }
  }
  return sections;
}

interface RecordedLogin {
  readonly title: string;
  readonly settings: Readonly<Record<string, string>>;
  /** How many of the login's accounts post. */
  readonly accounts: number;
}

/** The whole document of one login: connecting, a post of each kind, refreshing and revoking. */
async function callsDocument(adapter: Adapter, { title, settings, accounts }: RecordedLogin): Promise<string> {
  let login: ConnectedLogin | undefined;
  const connecting = await recordCalls(async () => {
    login = await logIn(adapter, "ada", settings);
  });
  const [account, ...others] = login?.accounts.slice(0, accounts) ?? [];
  if (!login || !account) {
    throw new Error("ada has no account");
  }
  const { tokenRefresh, revoke } = adapter.connect;
  const posts = await postSections(adapter, account, "");
  for (const other of others) {
    posts.push(...(await postSections(adapter, other, ` of ${other.displayName}`)));
  }
  const { tokens } = login;
  const client = simulatedClient(adapter);
  const app = sandboxCredentials(adapter, settings);
  const refreshing = await recordCalls(async () => {
    if (tokenRefresh.kind === "refresh" && tokenRefresh.canRefresh(tokens)) {
      vi.setSystemTime(Date.now() + 25 * 3_600_000);
      await tokenRefresh.refresh(client, app, tokens, Date.now());
    }
  });
  const revoking = await recordCalls(async () => {
    const again = await logIn(adapter, "ada", settings);
    await revoke?.(client, app, again.tokens);
  });
  const text = [
    `# Calls to ${title}`,
    "Recorded against the simulator; `npm run platforms:calls` writes this file. Changing values stand as ‹what they are›.",
    "## Connecting, and reading the accounts",
    connecting,
    ...posts,
    "## Refreshing the token",
    refreshing,
    "## Another login, and its revocation",
    revoking,
  ].join("\n\n");
  return `${text}\n`;
}

const RECORDED = PLATFORMS.flatMap((platform) => {
  const adapter = adapterFor(platform);
  const { post, recorded, otherLogins } = sampleOf(platform);
  const { settings, accounts } = recorded ?? { settings: post.settings ?? {}, accounts: 1 };
  return adapter === undefined
    ? []
    : [
        { adapter, file: platform, login: { title: platform, settings, accounts } },
        ...(otherLogins ?? []).map(({ file, title, settings: own }) => ({
          adapter,
          file: `${platform}-${file}`,
          login: { title: `${platform} ${title}`, settings: own, accounts: 1 },
        })),
      ];
});

describe.each(RECORDED)("$file", ({ adapter, file, login }) => {
  test("calls are as recorded", async ({ expect }) => {
    await expect(await callsDocument(adapter, login)).toMatchFileSnapshot(`../../docs/platforms/calls/${file}.md`);
  });
});
