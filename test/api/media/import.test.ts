import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { ORIGIN } from "../../support/origin.ts";
import { newCaller } from "../../support/user.ts";

const sample = (name: string) => `${ORIGIN}/sandbox/media/${name}`;
const load = (caller: Parameters<typeof call>[0], urls: unknown) =>
  call(caller, { method: "POST", path: "/media", body: { urls } });

describe("200", () => {
  test("media in the order of the addresses, the same bytes once", async ({ expect }) => {
    const caller = await newCaller();
    const answer = await load(caller, [sample("square.png"), sample("portrait.jpg"), sample("square.png")]);
    expect(answer.status).toBe(200);
    const [png, jpeg, again] = answer.body.media_items;
    expect(png).toMatchObject({ type: "image", content_type: "image/png", width: 800, height: 800 });
    expect(jpeg).toMatchObject({ content_type: "image/jpeg", width: 1080, height: 1350 });
    expect(again.id).toBe(png.id);
  });
});

describe("400", () => {
  test.for([undefined, [], "x", [1], [""], Array.from({ length: 11 }, () => sample("square.png"))])(
    "urls %j",
    async (urls, { expect }) => {
      expect(await load(await newCaller(), urls)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    },
  );

  test("every bad address is named and nothing is kept", async ({ expect }) => {
    const answer = await load(await newCaller(), [
      sample("square.png"),
      "http://127.0.0.1/a.jpg",
      "https://[::ffff:10.0.0.1]/a.jpg",
      "not a url",
      sample("page.jpg"),
    ]);
    expect(answer.status).toBe(400);
    const params = answer.body.details.map(({ param }: { param: string }) => param);
    expect(params).toEqual(["urls[1]", "urls[2]", "urls[3]", "urls[4]"]);
  });
});
