import { describe, test } from "vitest";
import { callApi } from "../../support/call-api.ts";
import { ORIGIN } from "../../support/origin.ts";
import { createCaller } from "../../support/create-caller.ts";

const sampleUrl = (name: string) => `${ORIGIN}/sandbox/media/${name}`;
const importMedia = (caller: Parameters<typeof callApi>[0], urls: unknown) =>
  callApi(caller, { method: "POST", path: "/media", body: { urls } });

describe("200", () => {
  test("media in the order of the URLs, with one item for equal bytes", async ({ expect }) => {
    const caller = await createCaller();
    const response = await importMedia(caller, [
      sampleUrl("square.png"),
      sampleUrl("portrait.jpg"),
      sampleUrl("square.png"),
    ]);
    expect(response.status).toBe(200);
    const [png, jpeg, again] = response.body.media_items;
    expect(png).toMatchObject({ type: "image", content_type: "image/png", width: 800, height: 800 });
    expect(jpeg).toMatchObject({ content_type: "image/jpeg", width: 1080, height: 1350 });
    expect(again.id).toBe(png.id);
  });
});

describe("400", () => {
  test.for([undefined, [], "x", [1], [""], Array.from({ length: 11 }, () => sampleUrl("square.png"))])(
    "urls %j",
    async (urls, { expect }) => {
      expect(await importMedia(await createCaller(), urls)).toMatchObject({
        status: 400,
        body: { code: "validation_failed" },
      });
    },
  );

  test("names every refused URL", async ({ expect }) => {
    const response = await importMedia(await createCaller(), [
      sampleUrl("square.png"),
      "http://127.0.0.1/a.jpg",
      "https://[::ffff:10.0.0.1]/a.jpg",
      "not a url",
      sampleUrl("page.jpg"),
    ]);
    expect(response.status).toBe(400);
    const params = response.body.details.map(({ param }: { param: string }) => param);
    expect(params).toEqual(["urls[1]", "urls[2]", "urls[3]", "urls[4]"]);
  });
});
