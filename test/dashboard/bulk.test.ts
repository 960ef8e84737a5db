import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { connectOneAccount, isoInDays } from "../support/api-workflows.ts";
import { callApi } from "../support/call-api.ts";
import { type ApiCaller } from "../support/create-caller.ts";
import { createPerson, service } from "./simulated-person.ts";

const PATH = "/dashboard/posts/many";

async function createSender() {
  const { caller, browser } = await createPerson();
  /** The form with a file, as browsers send it. */
  const sendFile = (bytes: Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    form.append("file", new File([bytes], "posts.csv", { type: "text/csv" }));
    form.append("table", "");
    return service.fetch(`${PATH}/preview`, {
      method: "POST",
      body: form,
      headers: { cookie: `__Host-session=${browser.session}`, origin: env.ORIGIN },
    });
  };
  return { caller, browser, sendFile };
}

async function countPosts(caller: ApiCaller): Promise<number> {
  return (await callApi(caller, { method: "GET", path: "/posts" })).body.pagination.total;
}

const tokenIn = (page: string) => /name="confirmation_token" value="([^"]+)"/.exec(page)?.[1] ?? "";

describe("the page for many posts", () => {
  test("shows each row or its problems, schedules the good ones, and says how many", async ({ expect }) => {
    const { caller, browser } = await createSender();
    const account = await connectOneAccount(caller);
    const at = isoInDays(1);
    const table = `caption,scheduled_at,account_ids\n"First, <b>post</b>",${at},${account.id}\nNo account,${at},${crypto.randomUUID()}\nThird,${at},${account.id}\n`;
    expect(await (await browser.get(PATH)).text()).toContain('enctype="multipart/form-data"');
    const shown = await browser.post(`${PATH}/preview`, { table });
    expect(shown.status).toBe(200);
    const page = await shown.text();
    expect(page).toContain("2 posts good, 1 row with problems");
    expect(page).toContain("First, &lt;b&gt;post&lt;/b&gt;");
    expect(page).toContain("No connected account has this id.");
    expect(page).toContain("Schedule the 2 good posts");
    expect(await countPosts(caller)).toBe(0);
    const confirmation = { confirmation_token: tokenIn(page), table };
    const done = await browser.post(`${PATH}/confirm`, confirmation);
    expect(done.headers.get("location")).toBe(`${PATH}?scheduled=2`);
    expect(await (await browser.get(`${PATH}?scheduled=2`)).text()).toContain("2 posts are scheduled.");
    expect(await countPosts(caller)).toBe(2);
    const again = await browser.post(`${PATH}/confirm`, confirmation);
    expect(again.status).toBe(400);
    const kept = await again.text();
    expect(kept).toContain('role="alert"');
    // The table is still there to be previewed again.
    expect(kept).toContain("No account,");
  });

  test("schedules more than a hundred posts in parts, each of which is confirmed", async ({ expect }) => {
    const { caller, browser } = await createSender();
    const account = await connectOneAccount(caller, "threads");
    const at = isoInDays(1);
    const lines = Array.from({ length: 102 }, (_, index) => `Post ${index + 1},${at},${account.id}`);
    const table = `caption,scheduled_at,account_ids\n${lines.join("\n")}\n`;
    const first = await (await browser.post(`${PATH}/preview`, { table })).text();
    expect(first).toContain(
      "The table has 102 posts, which are scheduled in parts of up to 100: these are rows 1 to 100.",
    );
    const confirmation = { confirmation_token: tokenIn(first), table, from_row: "1", next_row: "101" };
    const second = await (await browser.post(`${PATH}/confirm`, confirmation)).text();
    expect(second).toContain("100 posts are scheduled.");
    expect(second).toContain("these are rows 101 to 102.");
    expect(await countPosts(caller)).toBe(100);
    // The browser's button for another try does not offer the first part again.
    const again = await (await browser.post(`${PATH}/confirm`, confirmation)).text();
    expect(again).toContain('name="from_row" min="1" value="101"');
    const done = await browser.post(`${PATH}/confirm`, { confirmation_token: tokenIn(second), table, from_row: "101" });
    expect(done.headers.get("location")).toBe(`${PATH}?scheduled=2`);
    expect(await countPosts(caller)).toBe(102);
  });

  test("takes a file, and a time without an offset is one on the person's clock", async ({ expect }) => {
    const { caller, browser, sendFile } = await createSender();
    await browser.post("/dashboard/profile/time-zone", { time_zone: "Asia/Tokyo" });
    const account = await connectOneAccount(caller);
    const day = isoInDays(3).slice(0, 10);
    const table = `\uFEFFcaption;scheduled_at;account_ids\r\nFrom a file;${day}T09:00;${account.id}\r\nWith an offset;${day}T09:00:00Z;${account.id}\r\n`;
    const page = await (await sendFile(Uint8Array.from(new TextEncoder().encode(table)))).text();
    expect(page).toContain("Schedule all 2 posts");
    expect(page).toContain(`datetime="${day}T00:00:00.000Z"`);
    expect(page).toContain(`datetime="${day}T09:00:00.000Z"`);
  });

  test("says what is wrong with a table that cannot be read", async ({ expect }) => {
    const { browser, sendFile } = await createSender();
    const refusals = [
      [await browser.post(`${PATH}/preview`, { table: " " }), "Choose a file or paste the text of a table."],
      [await browser.post(`${PATH}/preview`, { table: "caption,when\nHello,now" }), "there is no column"],
      [await sendFile(new Uint8Array([0xff, 0xfe, 0x63, 0])), "not UTF-8"],
    ] as const;
    for (const [response, sentence] of refusals) {
      expect(response.status).toBe(400);
      expect((await response.text()).toLowerCase()).toContain(sentence.toLowerCase());
    }
    expect((await browser.post(`${PATH}/confirm`, { confirmation_token: "none" })).status).toBe(400);
    expect(
      (await browser.post(`${PATH}/preview`, { table: "caption" }, { origin: "https://evil.example" })).status,
    ).toBe(403);
  });
});

describe("accounts by their usernames", () => {
  async function createNamed(usernames: readonly [platform: "x" | "threads", username: string][]) {
    const person = await createSender();
    const named: [id: string, username: string][] = [];
    for (const [platform, username] of usernames) {
      named.push([(await connectOneAccount(person.caller, platform)).id, username]);
    }
    // Afterwards, because each connect reads the names of all accounts again.
    for (const [id, username] of named) {
      await env.DB.prepare("UPDATE accounts SET username = ?2 WHERE id = ?1").bind(id, username).run();
    }
    const preview = async (accounts: string) => {
      const table = `caption,scheduled_at,accounts\nHello,${isoInDays(1)},${accounts}\n`;
      return (await person.browser.post(`${PATH}/preview`, { table })).text();
    };
    return { ...person, preview };
  }

  test("with and without @ and platform, in any case", async ({ expect }) => {
    const { preview } = await createNamed([
      ["x", "Almanac"],
      ["threads", "kiln"],
    ]);
    for (const accounts of ["almanac", "@Almanac", "x/almanac", "X: @almanac", "almanac|kiln"]) {
      expect(await preview(accounts), accounts).toContain("1 post, all good");
    }
    expect(await preview("nobody")).toContain("<code>accounts</code>: No connected account has the username nobody");
    expect(await preview("threads/almanac")).toContain("No connected account has the username threads/almanac");
  });

  test("an ambiguous one is an error that names the choices", async ({ expect }) => {
    const { preview } = await createNamed([
      ["x", "almanac"],
      ["threads", "almanac"],
    ]);
    const page = await preview("almanac");
    expect(page).toContain("The username almanac belongs to 2 accounts: write x/almanac or threads/almanac");
    expect(await preview("threads/almanac")).toContain("1 post, all good");
  });
});

describe("the cells of a preview", () => {
  async function previewed() {
    const person = await createSender();
    const account = await connectOneAccount(person.caller);
    const at = isoInDays(1);
    const table = `caption,scheduled_at,account_ids\n"First, one",${at},${account.id}\n\nSecond,soon,${account.id}\n`;
    const page = await (await person.browser.post(`${PATH}/preview`, { table })).text();
    return { ...person, at, page, fields: fieldsOf(page) };
  }

  /** Everything that the form with the cells sends. */
  function fieldsOf(page: string): Record<string, string> {
    const form = /<form[^>]*action="\/dashboard\/posts\/many\/preview"[^]*?<\/form>/.exec(page)?.[0] ?? "";
    const read = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    const inputs = [...form.matchAll(/<input ([^>]*)>/g)].map(([, attributes = ""]) => [
      /name="([^"]+)"/.exec(attributes)?.[1] ?? "",
      read(/value="([^"]*)"/.exec(attributes)?.[1] ?? ""),
    ]);
    const texts = [...form.matchAll(/<textarea[^>]*name="([^"]+)"[^>]*>\n?([^<]*)<\/textarea>/g)].map(
      ([, name = "", text = ""]) => [name, read(text)],
    );
    return Object.fromEntries([...inputs, ...texts]) as Record<string, string>;
  }

  test("can be changed and previewed again; rows keep their numbers", async ({ expect }) => {
    const { browser, caller, at, page, fields } = await previewed();
    expect(page).toContain("1 post good, 1 row with problems");
    expect(fields).toMatchObject({ "cell.1.caption": "First, one", "cell.3.scheduled_at": "soon" });
    const again = await (
      await browser.post(`${PATH}/preview`, {
        ...fields,
        "cell.1.caption": 'First "and" only,\r\nin two lines',
        "cell.3.scheduled_at": at,
      })
    ).text();
    expect(again).toContain("2 posts, all good");
    const shown = fieldsOf(again);
    expect(shown).toMatchObject({ "cell.1.caption": 'First "and" only,\nin two lines', "cell.3.scheduled_at": at });
    const done = await browser.post(`${PATH}/confirm`, shown);
    expect(done.headers.get("location")).toBe(`${PATH}?scheduled=2`);
    expect(await countPosts(caller)).toBe(2);
  });

  test("that were changed are not scheduled as they were: the button shows the new preview", async ({ expect }) => {
    const { browser, caller, fields } = await previewed();
    const shown = await browser.post(`${PATH}/confirm`, { ...fields, "cell.1.caption": "Something else" });
    expect(shown.status).toBe(200);
    const page = await shown.text();
    expect(page).toContain("nothing is scheduled yet");
    expect(page).toContain("Something else");
    expect(await countPosts(caller)).toBe(0);
    const done = await browser.post(`${PATH}/confirm`, fieldsOf(page));
    expect(done.headers.get("location")).toBe(`${PATH}?scheduled=1`);
    expect((await callApi(caller, { method: "GET", path: "/posts" })).body.posts[0].caption).toBe("Something else");
  });
});
