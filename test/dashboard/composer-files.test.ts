import { describe, test } from "vitest";
import { createServiceFixture, ORIGIN, signInNewUser } from "../auth/service-fixture.ts";
import { pdf } from "../media/pdf.ts";
import { concatBytes, sample } from "../media/samples.ts";
import { createAccount, createTestContext } from "../posts/test-context.ts";

/* The composer without a script: files are chosen in its form and come back with everything that was typed. */

const service = createServiceFixture({ X_CLIENT_ID: "id", X_CLIENT_SECRET: "secret" });
const FILES = "/dashboard/posts/files";

const uniquePhoto = () => concatBytes(sample("photo.jpg"), crypto.randomUUID());

async function signIn(subscription: "trialing" | "canceled" = "trialing") {
  const user = await signInNewUser(service, { subscription });
  const send = async (body: BodyInit, headers: Record<string, string> = {}) => {
    const response = await service.fetch(FILES, {
      method: "POST",
      body,
      headers: { origin: ORIGIN, cookie: `__Host-session=${user.browser.session ?? ""}`, ...headers },
    });
    return { status: response.status, html: await response.text() };
  };
  return { ...user, send };
}

function formOf(fields: Readonly<Record<string, string>>, files: readonly File[]): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.append(name, value);
  }
  for (const file of files) {
    form.append("file", file);
  }
  return form;
}

const mediaOf = (html: string) => [...html.matchAll(/name="media" value="([^"]+)"/g)].map(([, url]) => url);
const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("files chosen in the composer's form", () => {
  test("are stored and come back as the post's media, after those it has, with everything that was typed", async ({
    expect,
  }) => {
    const { send, userId, workspaceId } = await signIn();
    const ctx = createTestContext({ actor: { userId, workspaceId } });
    const account = await createAccount(ctx, "x");
    const before = "https://media.example/first.jpg";
    const { status, html } = await send(
      formOf(
        {
          caption: 'Ääh\n<b>&"',
          account,
          media: before,
          date: "2030-01-02",
          time: "10:30",
          media_url: "https://a.example",
        },
        [new File([uniquePhoto()], "one.jpg"), new File([uniquePhoto()], "two.jpg")],
      ),
    );
    expect(status).toBe(200);
    expect(mediaOf(html)).toEqual([before, expect.stringContaining("one.jpg"), expect.stringContaining("two.jpg")]);
    expect(html).toContain("Ääh\n&lt;b&gt;&amp;&quot;</textarea>");
    expect(html).toMatch(new RegExp(`value="${account}"[^>]* checked`));
    expect(html).toContain('value="2030-01-02"');
    expect(html).toContain('value="10:30"');
    expect(html).toContain("https://a.example</textarea>");
  });

  test("for a part of a thread or for a document come back in the field that names it", async ({ expect }) => {
    const { send, userId, workspaceId } = await signIn();
    const ctx = createTestContext({ actor: { userId, workspaceId } });
    const [x, linkedin] = [await createAccount(ctx, "x"), await createAccount(ctx, "linkedin")];
    const form = formOf({ caption: "One" }, []);
    for (const [name, value] of [
      ["account", x],
      ["account", linkedin],
      [`option.${x}.thread`, "Two"],
      [`option.${x}.thread`, "Three"],
      [`option.${x}.thread.media`, ""],
      [`option.${x}.thread.media`, ""],
    ] as const) {
      form.append(name, value);
    }
    form.append(`file.part_media_url.${x}.thread.1`, new File([uniquePhoto()], "third.jpg"));
    form.append(
      `file.option.${linkedin}.document.url`,
      new File([pdf({ pages: 2, salt: crypto.randomUUID() })], "guide.pdf"),
    );
    form.append(`file.own_media_url.${linkedin}`, new File([], ""));
    const { status, html } = await send(form);
    expect(status, textOf(html)).toBe(200);
    const parts = [...html.matchAll(new RegExp(`name="option.${x}.thread.media" value="([^"]*)"`, "g"))];
    expect(parts.map(([, json]) => json)).toEqual(["", expect.stringContaining("third.jpg")]);
    expect(html).toMatch(new RegExp(`name="option.${linkedin}.document.url"[^>]*value="[^"]+guide.pdf"`));
    expect(mediaOf(html)).toEqual([]);
  });

  test("are refused one by one, each with its name, and nothing else is lost", async ({ expect }) => {
    const { send } = await signIn();
    const { status, html } = await send(
      formOf({ caption: "Still here" }, [new File(["no image"], "notes.txt"), new File([uniquePhoto()], "one.jpg")]),
    );
    expect(status).toBe(400);
    expect(textOf(html)).toContain("notes.txt: ");
    expect(mediaOf(html)).toEqual([expect.stringContaining("one.jpg")]);
    expect(html).toContain("Still here</textarea>");
  });

  test("are asked for when none was chosen", async ({ expect }) => {
    const { send } = await signIn();
    const { status, html } = await send(formOf({ caption: "Still here" }, [new File([], "")]));
    expect(status).toBe(400);
    expect(textOf(html)).toContain("Choose the files first, then upload them.");
    expect(html).toContain("Still here</textarea>");
  });

  test("are not stored without a subscription; what was typed comes back", async ({ expect }) => {
    const { send } = await signIn("canceled");
    const { status, html } = await send(formOf({ caption: "Still here" }, [new File([uniquePhoto()], "one.jpg")]));
    expect(status).toBe(400);
    expect(mediaOf(html)).toEqual([]);
    expect(html).toContain("Still here</textarea>");
  });

  test("that were chosen and not uploaded are named by the preview", async ({ expect }) => {
    const { browser } = await signIn();
    const response = await browser.post("/dashboard/posts/preview", {
      intent: "preview",
      caption: "Still here",
      file: ["one.jpg", ""],
    });
    expect(textOf(await response.text())).toContain(
      "one.jpg is not uploaded yet: choose it again and press “Upload these files”.",
    );
  });
});

describe("a file whose upload has not ended", () => {
  const STORED = "https://media.example/first.jpg";
  const TO_COME = "upload:9000000:1790000000000:Straße & Co.jpg";

  test.for(["preview", "save_draft"])("is named by %s, which does nothing without it", async (intent, { expect }) => {
    const { browser } = await signIn();
    const response = await browser.post("/dashboard/posts/preview", {
      intent,
      caption: "Still here",
      media: [TO_COME, STORED],
    });
    const html = await response.text();
    expect(response.status).toBe(400);
    expect(textOf(html)).toContain("Straße &amp; Co.jpg is not uploaded: choose it again, or remove it.");
    expect(html).toContain("Still here</textarea>");
    expect(mediaOf(html)).toEqual([TO_COME.replace("&", "&amp;"), STORED]);
  });

  test("keeps its place, can be moved and removed, and has no picture", async ({ expect }) => {
    const { browser } = await signIn();
    const press = async (intent: string) => {
      const response = await browser.post("/dashboard/posts/preview", { intent, media: [TO_COME, STORED] });
      return await response.text();
    };
    const [later, removed] = [await press("media_down.0"), await press("media_remove.0")];
    expect(mediaOf(later)).toEqual([STORED, TO_COME.replace("&", "&amp;")]);
    expect(later).not.toMatch(/src="upload:/);
    expect(mediaOf(removed)).toEqual([STORED]);
  });

  test("is no medium of the check while somebody types, and problems stand beside the files they are of", async ({
    expect,
  }) => {
    const { browser, userId, workspaceId } = await signIn();
    const account = await createAccount(createTestContext({ actor: { userId, workspaceId } }), "x");
    const check = async (media: readonly string[]) => {
      const response = await browser.post("/dashboard/posts/check", { caption: "Hello", account, media: [...media] });
      return (await response.json()) as { fields: Record<string, string[]> };
    };
    expect(Object.keys((await check([TO_COME])).fields)).toEqual(["date", "time"]);
    const { fields } = await check([TO_COME, "no address"]);
    expect(Object.keys(fields)).toContain("media.1");
  });
});

describe("a form that is not accepted", () => {
  test("from another site, or without a session", async ({ expect }) => {
    const { send } = await signIn();
    const form = () => formOf({ caption: "x" }, [new File([uniquePhoto()], "one.jpg")]);
    expect((await send(form(), { origin: "https://evil.example" })).status).toBe(403);
    const stranger = await service.fetch(FILES, { method: "POST", body: form(), headers: { origin: ORIGIN } });
    expect([stranger.status, stranger.headers.get("location")]).toEqual([303, expect.stringContaining("/login")]);
  });

  test("with more text than a post can have", async ({ expect }) => {
    const { send } = await signIn();
    expect((await send(formOf({ caption: "x".repeat(1024 * 1024 + 1) }, []))).status).toBe(413);
  });

  test("with a body that is no form with files", async ({ expect }) => {
    const { send } = await signIn();
    expect((await send(new URLSearchParams({ caption: "x" }))).status).toBe(400);
    expect((await send("--x\r\n", { "content-type": "multipart/form-data; boundary=x" })).status).toBe(400);
  });
});
