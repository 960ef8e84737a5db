import { describe, test } from "vitest";
import { call } from "../../support/call.ts";
import { connectOne, scheduleText } from "../../support/journey.ts";
import { newCaller } from "../../support/user.ts";

describe("200", () => {
  test("a post that has not begun has no history", async ({ expect }) => {
    const caller = await newCaller();
    const post = await scheduleText(caller, (await connectOne(caller)).id);
    const answer = await call(caller, { method: "GET", path: `/posts/${post.id}/attempts` });
    expect(answer).toMatchObject({ status: 200, body: { attempts: [] } });
  });
});

describe("400", () => {
  test("an id that is none", async ({ expect }) => {
    const answer = await call(await newCaller(), { method: "GET", path: "/posts/1/attempts" });
    expect(answer).toMatchObject({ status: 400, body: { param: "id" } });
  });
});

describe("404", () => {
  test("another user's post looks like a post that does not exist", async ({ expect }) => {
    const owner = await newCaller();
    const post = await scheduleText(owner, (await connectOne(owner)).id);
    const stranger = await newCaller();
    const ask = (id: string) =>
      call(stranger, { method: "GET", path: `/posts/${id}/attempts`, headers: { "x-request-id": "same" } });
    const theirs = await ask(post.id);
    expect(theirs.status).toBe(404);
    expect(theirs.body).toEqual((await ask(crypto.randomUUID())).body);
  });
});
