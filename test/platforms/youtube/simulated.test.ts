import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { youtube } from "#platforms/youtube/index.ts";
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

describe("a video", () => {
  test.for(["nothing", "drop_before", "drop_after", "answer_after"] as const)(
    "is published once after %s",
    async (effect, { expect }) => {
      const { accounts } = await logIn(youtube, "ada");
      const media = [await sample("portrait.mp4", portrait)];
      const caption = `A bowl, ${effect}`;
      const end = await publish(
        youtube,
        accounts[0]!,
        { caption, media, options: { title: `Glaze ${effect}` } },
        async () => {
          if (effect !== "nothing") {
            await plan(youtube, {
              match: { method: "PUT", path: "/upload/*" },
              times: 1,
              effect,
              ...(effect === "answer_after" && { status: 503, body: "sorry" }),
            });
          }
        },
      );
      expect(end, JSON.stringify(end)).toMatchObject({ state: "published" });
      const posts = (await book(youtube, accounts[0]!.platformAccountId)).filter((entry) => entry.text === caption);
      expect(posts, end.steps.join(" ")).toHaveLength(1);
      expect(posts[0]).toMatchObject({
        title: `Glaze ${effect}`,
        media: [{ type: "video", sha256: media[0]!.sha256 }],
      });
      if (end.state === "published") {
        expect({ id: end.remoteId, url: end.url }).toEqual({ id: posts[0]?.id, url: posts[0]?.url });
      }
    },
  );
});
