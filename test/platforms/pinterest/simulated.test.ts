import { afterEach, beforeEach, describe, test, vi } from "vitest";
import type { AccountAccess, Adapter, PlatformClient } from "#platforms/contract.ts";
import { temporary } from "#platforms/fault.ts";
import { pinterest as adapter } from "#platforms/pinterest/index.ts";
import { publishedPosts, logIn, unwrap, injectFault, publishUntilSettled, revokeAtPlatform, sampleMedia, simulatedClient } from "../../support/simulated-platform.ts";

let clock = Date.parse("2032-07-01T09:00:00Z");
beforeEach(() => {
  clock += 10 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
});
afterEach(() => {
  vi.useRealTimers();
});

/** As the publisher calls it: what `prepare` throws is tried again. */
const pinterest: Adapter = {
  ...adapter,
  prepare: (...step) =>
    adapter.prepare(...step).catch(() => ({ state: "refused", fault: temporary("thrown", { httpStatus: null }) })),
};

async function ada(settings: Record<string, string> = {}) {
  const { accounts } = await logIn(pinterest, "ada", settings);
  const account = accounts[0]!;
  const boards = unwrap(await adapter.listBoards(simulatedClient(pinterest), account)).map((board) => board.id);
  return { account, boards };
}

const published = async (account: AccountAccess, caption: string) =>
  (await publishedPosts(pinterest, account.platformAccountId)).filter((entry) => entry.text === caption);

const POST = { method: "POST", path: "/v5/pins" };

test("boards are those of all pages that take pins", async ({ expect }) => {
  const { account } = await ada();
  const boards = unwrap(await adapter.listBoards(simulatedClient(pinterest), account));
  expect(boards.length).toBeGreaterThanOrEqual(3);
  expect(new Set(boards.map((board) => board.id)).size).toBe(boards.length);
  expect(boards.map((board) => board.privacy)).not.toContain("SECRET");
  const secret = await ada({ SECRET_BOARDS: "1" });
  expect(secret.boards.length).toBeGreaterThanOrEqual(boards.length);
});

test("a refresh gives a new pair and spends the old one", async ({ expect }) => {
  const { tokens, accounts } = await logIn(pinterest, "ada");
  const client = simulatedClient(pinterest);
  const { app } = accounts[0]!;
  const renewed = unwrap(await adapter.connect.refresh!(client, app, tokens, Date.now()));
  expect(renewed.refreshToken).not.toBe(tokens.refreshToken);
  expect(await adapter.connect.refresh!(client, app, tokens, Date.now())).toMatchObject({
    ok: false,
    fault: { kind: "reconnect" },
  });
  expect((await adapter.connect.listAccounts(client, app, renewed)).ok).toBe(true);
});

test("a login that was withdrawn has to be made again", async ({ expect }) => {
  const { tokens, accounts } = await logIn(pinterest, "ada");
  await revokeAtPlatform(pinterest, accounts[0]!.platformAccountId);
  expect(await adapter.connect.listAccounts(simulatedClient(pinterest), accounts[0]!.app, tokens)).toMatchObject({
    ok: false,
    fault: { kind: "reconnect" },
  });
});

describe.each([
  { name: "image", files: ["portrait.jpg"] },
  { name: "carousel", files: ["portrait.jpg", "portrait.jpg"] },
  { name: "video", files: ["landscape.mp4"] },
])("$name", ({ name, files }) => {
  test.for(["nothing", "drop_before", "drop_after", "answer_after"] as const)(
    "stands on each of three boards once after %s at the second",
    async (effect, { expect }) => {
      const { account, boards } = await ada();
      const board_ids = boards.slice(0, 3);
      const media = await Promise.all(files.map((file) => sampleMedia(file)));
      const caption = `A ${name} and ${effect}`;
      const options = { board_ids, title: `Blue ${name}`, link: "https://example.com/glaze?a=1" };
      let calls = 0;
      const second: Adapter = {
        ...pinterest,
        commit: async (...step) => {
          if (++calls === 2 && effect !== "nothing") {
            const answered = effect === "answer_after" && { status: 503, body: "sorry" };
            await injectFault(pinterest, { match: POST, times: 1, effect, ...answered });
          }
          return await pinterest.commit(...step);
        },
      };
      const end = await publishUntilSettled(second, account, { caption, media, options });
      expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
      const pins = await published(account, caption);
      expect(pins, end.steps.join(" ")).toHaveLength(3);
      for (const pin of pins) {
        expect(pin.media.map((item) => item.sha256)).toEqual(media.map((item) => item.sha256));
        expect(pin.title).toBe(`Blue ${name}`);
      }
      if (end.state === "published") {
        expect({ id: end.remoteId, url: end.url }).toEqual({ id: pins[0]?.id, url: pins[0]?.url });
      }
    },
  );
});

test("a video is registered again when its storage refuses or loses it", async ({ expect }) => {
  const { account, boards } = await ada();
  const media = [await sampleMedia("landscape.mp4")];
  const troubles: ("refuse" | "lose" | "lose_answer")[] = ["refuse", "lose", "lose_answer"];
  const shaky = (client: PlatformClient): PlatformClient => ({
    async fetch(url, init) {
      const trouble = new URL(url).hostname.endsWith(".amazonaws.com") ? troubles.shift() : undefined;
      if (trouble === "refuse") {
        return new Response("<Error><Code>AccessDenied</Code></Error>", { status: 403 });
      }
      if (trouble === "lose") {
        throw new TypeError("network connection lost");
      }
      const answer = await client.fetch(url, init);
      if (trouble === "lose_answer") {
        throw new TypeError("network connection lost");
      }
      return answer;
    },
  });
  const stubborn: Adapter = {
    ...pinterest,
    prepare: (client, ...step) => pinterest.prepare(shaky(client), ...step),
  };
  await injectFault(pinterest, { match: { method: "GET", path: "/v5/media/*" }, times: 1, effect: "drop_before" });
  const options = { board_ids: boards.slice(0, 1) };
  const end = await publishUntilSettled(stubborn, account, { caption: "stubborn", media, options });
  expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
  expect(troubles).toEqual([]);
  const pins = await published(account, "stubborn");
  expect(pins.map((pin) => pin.media.map((item) => item.sha256))).toEqual([[media[0]!.sha256]]);
});

test("a video takes the image beside it as its cover", async ({ expect }) => {
  const { account, boards } = await ada();
  const media = [await sampleMedia("landscape.mp4"), await sampleMedia("portrait.jpg")];
  const end = await publishUntilSettled(pinterest, account, {
    caption: "covered",
    media,
    options: { board_ids: boards.slice(0, 1) },
  });
  expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
  const [pin] = await published(account, "covered");
  expect(pin?.media[0]?.sha256).toBe(media[0]!.sha256);
});

test("a board that is gone does not keep the others from their pin, and a second run leaves those alone", async ({
  expect,
}) => {
  const { account, boards } = await ada();
  const media = [await sampleMedia("portrait.jpg")];
  const board_ids = [boards[0]!, "999999999999999999", boards[1]!];
  const end = await publishUntilSettled(pinterest, account, { caption: "one is gone", media, options: { board_ids } });
  expect(end).toMatchObject({
    state: "failed",
    fault: { code: "board_not_found", message: expect.stringContaining("2 of 3") },
  });
  expect(await published(account, "one is gone")).toHaveLength(2);
});

test("an image that Pinterest cannot fetch is sent within the call", async ({ expect }) => {
  const { account, boards } = await ada();
  const media = [{ ...(await sampleMedia("portrait.jpg")), url: "https://nowhere.example.com/portrait.jpg" }];
  const end = await publishUntilSettled(pinterest, account, {
    caption: "behind a wall",
    media,
    options: { board_ids: boards.slice(0, 2) },
  });
  expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
  const pins = await published(account, "behind a wall");
  expect(pins.map((pin) => pin.media.map((item) => item.sha256))).toEqual([[media[0]!.sha256], [media[0]!.sha256]]);
});

test("a careful operator's pin of unknown fate is never sent again", async ({ expect }) => {
  const { account, boards } = await ada({ RESEND: "never" });
  const media = [await sampleMedia("portrait.jpg")];
  const options = { board_ids: boards.slice(0, 1) };
  const end = await publishUntilSettled(pinterest, account, { caption: "careful", media, options }, () =>
    injectFault(pinterest, { match: POST, times: 1, effect: "drop_before" }),
  );
  expect(end).toMatchObject({ state: "unknown" });
  expect(await published(account, "careful")).toHaveLength(0);
});
