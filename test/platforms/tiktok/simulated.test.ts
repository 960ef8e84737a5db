import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { tiktok } from "#platforms/tiktok/index.ts";
import { book, logIn, plan, publish, sample } from "../../support/simulated.ts";

let clock = Date.parse("2032-03-01T09:00:00Z");
beforeEach(() => {
  clock += 10 * 86_400_000;
  vi.useFakeTimers({ toFake: ["Date"], now: clock });
});
afterEach(() => {
  vi.useRealTimers();
});

const portrait = { width: 540, height: 960, durationSeconds: 3 };

const KINDS = [
  { kind: "video", file: "portrait.mp4", options: {}, method: "PUT", commit: "/*" },
  { kind: "draft", file: "portrait.mp4", options: { is_draft: true }, method: "PUT", commit: "/*" },
  { kind: "photo", file: "portrait.jpg", options: {}, method: "POST", commit: "/v2/post/publish/content/init/" },
  {
    kind: "photo draft",
    file: "portrait.jpg",
    options: { is_draft: true },
    method: "POST",
    commit: "/v2/post/publish/content/init/",
  },
] as const;

describe.each(KINDS)("a $kind", ({ kind, file, options, method, commit }) => {
  test.for(["nothing", "drop_before", "drop_after", "answer_after"] as const)(
    "is published once after %s",
    async (effect, { expect }) => {
      const { accounts } = await logIn(tiktok, "ada");
      const media = [await sample(file, file === "portrait.mp4" ? portrait : {})];
      const caption = `A bowl as ${kind}, ${effect}`;
      const end = await publish(tiktok, accounts[0]!, { caption, media, options }, async () => {
        if (effect !== "nothing") {
          await plan(tiktok, {
            match: { method, path: commit },
            times: 1,
            effect,
            ...(effect === "answer_after" && { status: 503, body: "sorry" }),
          });
        }
      });
      const posts = (await book(tiktok, accounts[0]!.platformAccountId)).filter((entry) => entry.media[0]?.sha256 === media[0]!.sha256);
      console.log(kind, effect, JSON.stringify(end), JSON.stringify(posts));
      expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
    },
  );
});
