import { randomBytes } from "node:crypto";
import type { Locator, Page, Route } from "playwright-core";
import { call, sleep } from "../../service.ts";
import { type BrowserName, type Mode, Person, type UploadFile } from "./person.ts";

export interface JourneyParts {
  readonly origin: string;
  readonly page: Page;
  readonly mode: Mode;
  readonly browser: BrowserName;
  /** Called before each step with its name. */
  readonly onStep: (name: string) => void;
}

interface ApiPost {
  readonly id: string;
  readonly status: string;
  readonly caption: string;
  readonly scheduled_at: string;
  readonly media_items: readonly { readonly url: string }[];
  readonly targets: readonly { readonly platform_options: Readonly<Record<string, unknown>> }[];
}

interface ApiAccount {
  readonly id: string;
  readonly platform: string;
  readonly username: string;
}

const DAY_MS = 86_400_000;
const PLATFORMS = ["X", "LinkedIn", "Instagram"];
const CAPTION = "The kiln is on. New bowls next week";
const OWN_CAPTION = "Kiln on, bowls next week";
const EDITED = "The kiln is on. New bowls on Friday";
const IN_ORDER = "Three bowls, one after the other";
const SLOW_UPLOAD_MS = 4000;
const SLOW_ANSWER_MS = 1000;
const WITH_DOCUMENT = "A handbook about kilns";
/** What the login asks for, and the account that it has. */
const THREADS = [
  {
    platform: "Bluesky",
    asks: "Handle",
    answer: "ada.bsky.social",
    username: "ada.bsky.social",
  },
  {
    platform: "Mastodon",
    asks: "Server",
    answer: "mastodon.example",
    username: "ada@mastodon.example",
  },
] as const;
const BY_API = "Written by a program";
/** What the journey fills in, as TikTok names it. */
const ON_TIKTOK = {
  privacy_level: "PUBLIC_TO_EVERYONE",
  disable_comment: false,
  disable_duet: false,
  disable_stitch: true,
  brand_content_toggle: true,
  brand_organic_toggle: false,
};
const PUBLISH_TIMEOUT_MS = 150_000;

/** `YYYY-MM-DD` in UTC, which is the zone of the journey's user. */
const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** From the front page to a repaired post, by what the pages say and nothing else. */
export class Journey {
  readonly #parts: JourneyParts;
  readonly #person: Person;
  #key = "";
  /** The first parts of the threads. */
  readonly #threads = new Map<string, string>();
  readonly #tiktokCaption = `The wheel turns ${randomBytes(4).toString("hex")}`;

  constructor(parts: JourneyParts) {
    this.#parts = parts;
    this.#person = new Person(parts.page, parts.mode, parts.browser);
  }

  async run(): Promise<void> {
    const steps: readonly [string, () => Promise<void>][] = [
      ["sign up", () => this.#signUp()],
      ["create a key", () => this.#createKey()],
      ["connect three platforms", () => this.#connectPlatforms()],
      ["repair a failed post at once", () => this.#repair()],
      ["upload a picture and a film", () => this.#upload()],
      ["fill in what TikTok wants, preview, schedule", () => this.#composeForTiktok()],
      ["disconnect an account", () => this.#disconnect()],
      ["a thread of three on Bluesky, preview, schedule", () => this.#composeThread(THREADS[0])],
      ["a thread of three on Mastodon, preview, schedule", () => this.#composeThread(THREADS[1])],
      ["a document for LinkedIn, uploaded in the form", () => this.#composeDocument()],
      ["compose with an own text, preview, schedule", () => this.#compose()],
      ["publish now", () => this.#publishNow()],
      ["a preview waits for files, in the order in which they were chosen", () => this.#waitForFiles()],
      ["the API shows the post of the dashboard", () => this.#findInApi()],
      ["the dashboard shows a post of the API", () => this.#findInDashboard()],
      ["select two and move them, and back", () => this.#moveSelection()],
      ["move; with a mouse by a drag with undo", () => this.#move()],
      ["edit", () => this.#edit()],
      ["duplicate", () => this.#duplicate()],
      ["cancel", () => this.#cancel()],
      ["reconnect an account", () => this.#reconnect()],
      ["the video is on TikTok as it was filled in", () => this.#findOnTiktok()],
      ["both threads are public, each part a reply to the one before", () => this.#findThreads()],
    ];
    for (const [name, step] of steps) {
      this.#parts.onStep(name);
      await step();
    }
  }

  get #page(): Page {
    return this.#parts.page;
  }

  async #open(path: string): Promise<void> {
    await this.#page.goto(`${this.#parts.origin}${path}`);
  }

  async #heading(name: string | RegExp): Promise<void> {
    await this.#page.getByRole("heading", { name }).first().waitFor();
  }

  async #notice(text: string | RegExp): Promise<void> {
    await this.#page.getByRole("status").filter({ hasText: text }).first().waitFor();
  }

  /** By the menu, wherever it is. */
  async #goTo(section: string): Promise<void> {
    await this.#page.waitForLoadState("load");
    const link = this.#page.getByRole("link", { name: section, exact: true });
    if (!(await link.first().isVisible())) {
      await this.#person.unfold("Menu");
    }
    await this.#person.press(link.filter({ visible: true }).first());
  }

  async #signUp(): Promise<void> {
    const person = this.#person;
    await this.#open("/");
    await person.followLink("Create an account");
    await person.type("E-mail", `journey-${randomBytes(6).toString("hex")}@example.com`);
    await person.type("Password", `correct horse ${randomBytes(6).toString("hex")}`);
    await person.pressButton("Create account");
    await this.#page.waitForURL("**/dashboard");
    await this.#heading(/\d{4}/);
  }

  async #createKey(): Promise<void> {
    const person = this.#person;
    await this.#goTo("AI & API");
    await person.type("Name", "journey");
    await person.choose(this.#page.getByRole("radio", { name: /^Everything/ }));
    await person.pressButton("Create key");
    const shown = this.#page.getByText(/^alk_\w{49}$/);
    await shown.waitFor();
    this.#key = (await shown.textContent()) ?? "";
  }

  async #connectPlatforms(): Promise<void> {
    const person = this.#person;
    await this.#goTo("Accounts");
    for (const name of PLATFORMS) {
      await person.pressButton(`Connect ${name}`);
      await this.#logIn(name);
    }
    await this.#countPlaces();
  }

  /** Through the page that names the workspace, and the platform's own. */
  async #logIn(platform: string): Promise<void> {
    await this.#person.pressButton(`Continue to ${platform}`);
    await this.#person.followLink(/ada/);
    await this.#chooseAccounts(platform);
    await this.#heading(`${platform} is connected`);
    await this.#person.followLink("Back to your accounts");
    await this.#heading("Accounts");
  }

  /** LinkedIn asks for which of two accounts: only the first is ticked, or stays so after a new login. */
  async #chooseAccounts(platform: string): Promise<void> {
    if (platform !== "LinkedIn") {
      return;
    }
    await this.#heading(/^Choose what to connect/);
    const [member, page] = ["Ada Example", "Example GmbH"].map((name) =>
      this.#page.getByRole("checkbox", { name: new RegExp(name) }),
    );
    if (member === undefined || page === undefined || (await page.isChecked())) {
      throw new Error("an account is ticked that nobody chose");
    }
    if (await member.isEnabled()) {
      await this.#person.choose(member);
    }
    await this.#person.pressButton("Connect what is ticked");
  }

  /** One of the two accounts of the login at LinkedIn takes a place, and the other one can be chosen later. */
  async #countPlaces(): Promise<void> {
    const { accounts } = await call<{ accounts: readonly ApiAccount[] }>(this.#parts.origin, "GET", "/v1/accounts", {
      key: this.#key,
    });
    const ofLinkedin = accounts.filter(({ platform }) => platform === "linkedin");
    if (ofLinkedin.length !== 1) {
      throw new Error(`${ofLinkedin.length} accounts of LinkedIn are connected, one was ticked`);
    }
    await this.#page
      .getByText(new RegExp(`^${accounts.length} of \\d+ accounts`))
      .first()
      .waitFor();
    await this.#page.getByRole("link", { name: "Choose accounts" }).first().waitFor();
  }

  async #sample(name: string, mimeType: string): Promise<UploadFile> {
    const response = await fetch(`${this.#parts.origin}/sandbox/media/${name}`);
    // Files of the same bytes would be one item for all journeys of a workspace.
    return { name, mimeType, buffer: Buffer.from(await response.arrayBuffer()) };
  }

  async #upload(): Promise<void> {
    const person = this.#person;
    await this.#goTo("Media");
    await this.#page.waitForLoadState("load");
    await person.chooseFiles("Add pictures and videos", [
      await this.#sample("portrait.jpg", "image/jpeg"),
      await this.#sample("portrait.mp4", "video/mp4"),
    ]);
    // With a script the upload begins when the files are chosen.
    if (this.#parts.mode === "noscript") {
      await person.pressButton("Upload");
    }
    for (const name of ["portrait.jpg", "portrait.mp4"]) {
      await this.#heading(name);
    }
  }

  async #beginPost(text: string): Promise<void> {
    await this.#person.followLink("New post");
    await this.#heading("New post");
    await this.#person.type("Text", text);
  }

  async #tickAccount(username: string): Promise<void> {
    await this.#person.choose(this.#page.getByRole("checkbox", { name: new RegExp(`\\b${username}$`) }).first());
  }

  /** Only without a script the form must be sent to see the fields of an account. */
  async #updateForm(): Promise<void> {
    const button = this.#page.getByRole("button", { name: "Update form" });
    if (await button.isVisible()) {
      await this.#person.press(button);
    }
  }

  async #compose(): Promise<void> {
    const person = this.#person;
    await this.#beginPost(CAPTION);
    await this.#tickAccount("ada_example");
    await this.#tickAccount("ada-example");
    await this.#updateForm();
    await person.unfold("Choose from your media");
    await person.choose(this.#page.getByRole("checkbox", { name: /portrait\.jpg/ }));
    const add = this.#page.getByRole("button", { name: "Add what is ticked" });
    if (await add.isVisible()) {
      await person.press(add);
    }
    const own = this.#page.getByRole("group", { name: /ada_example/ });
    await person.unfold("Different text for this account", own);
    await person.type("Text for ada_example", OWN_CAPTION);
    await person.type("Day", dayIn(1));
    await person.type("Time", "10:30");
    await person.pressButton("Preview and schedule");
    await this.#heading("Preview");
    for (const text of [CAPTION, OWN_CAPTION]) {
      await this.#page.getByText(text).first().waitFor();
    }
    await person.pressButton("Schedule");
    await this.#notice(/scheduled/i);
  }

  /** Through the same preview, without a time. */
  async #publishNow(): Promise<void> {
    const person = this.#person;
    const caption = `Doors are open ${randomBytes(4).toString("hex")}`;
    await this.#beginPost(caption);
    await this.#tickAccount("ada-example");
    await this.#updateForm();
    await person.pressButton("Publish now");
    await this.#heading("Preview");
    await this.#page.getByText("as soon as you confirm").first().waitFor();
    await person.pressButton("Publish now");
    await this.#page.waitForURL("**/dashboard/posts/*done=now");
    const post = (await this.#posts("?include_past=true")).find((candidate) => candidate.caption === caption);
    await this.#waitForStatus(post?.id ?? "", "published");
    await this.#page.reload();
    await this.#page.getByText("Published", { exact: true }).first().waitFor();
  }

  /** What TikTok's audit looks at: nothing is chosen before the person does, and the declaration is beside the button. */
  async #composeForTiktok(): Promise<void> {
    const person = this.#person;
    await this.#goTo("Accounts");
    await person.pressButton("Connect TikTok");
    await this.#logIn("TikTok");
    await this.#beginPost(this.#tiktokCaption);
    await person.unfold("Choose from your media");
    await person.choose(this.#page.getByRole("checkbox", { name: /portrait\.mp4/ }));
    const add = this.#page.getByRole("button", { name: "Add what is ticked" });
    if (await add.isVisible()) {
      await person.press(add);
    }
    await this.#tickAccount("ada_moves");
    await this.#updateForm();
    const audience = this.#page.getByLabel("Who can see the post", { exact: true });
    await audience.waitFor();
    // What is chosen while the service writes the options anew must stay.
    const slow = async (route: Route): Promise<void> => {
      if ("x-fragment" in route.request().headers()) {
        await sleep(SLOW_ANSWER_MS);
      }
      // What the browser context answers for other hosts stays so.
      await route.fallback();
    };
    await this.#page.route("**/*", slow);
    const box = (name: string) => this.#page.getByRole("checkbox", { name, exact: true });
    const chosen = await audience.inputValue();
    const ticked = await Promise.all(["Comments", "Duets", "Stitches"].map((name) => box(name).isChecked()));
    if (chosen !== "" || ticked.includes(true)) {
      throw new Error(`something is chosen beforehand: "${chosen}", ${ticked.join(", ")}`);
    }
    await person.choose(box("This post promotes something"));
    await person.choose(box("Branded content"));
    await this.#page.getByText("Your photo/video will be labeled as 'Paid partnership'").first().waitFor();
    await this.#updateForm();
    const onlyYou = audience.getByRole("option", { name: "Only you", includeHidden: true });
    await onlyYou.and(this.#page.locator(":disabled")).waitFor({ state: "attached" });
    await person.select("Who can see the post", "Everyone");
    await person.choose(box("Comments"));
    await person.choose(box("Duets"));
    await this.#page.unrouteAll({ behavior: "wait" });
    await this.#typeSoon();
    await person.pressButton("Preview and schedule");
    await this.#heading("Preview");
    for (const text of ["Branded Content Policy", "Music Usage Confirmation"]) {
      await this.#page.getByRole("link", { name: text }).first().waitFor();
    }
    await person.pressButton("Schedule");
    await this.#notice(/scheduled/i);
  }

  /** The minute after the next one. */
  async #typeSoon(): Promise<void> {
    const dueAt = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 60_000).toISOString();
    await this.#person.type("Day", dueAt.slice(0, 10));
    await this.#person.type("Time", dueAt.slice(11, 16));
  }

  /** A trial has five accounts, and the next two steps connect the fifth and a sixth. */
  async #disconnect(): Promise<void> {
    await this.#goTo("Accounts");
    const account = this.#page.getByRole("listitem").filter({ hasText: "ada_pictures" });
    await this.#person.unfold("Disconnect…", account);
    await this.#person.pressButton("Disconnect Instagram: Ada Example");
    await this.#notice("The account is disconnected.");
  }

  async #composeThread({ platform, asks, answer, username }: (typeof THREADS)[number]): Promise<void> {
    const person = this.#person;
    await this.#goTo("Accounts");
    await person.pressButton(`Connect ${platform}`);
    await person.type(asks, answer);
    await this.#logIn(platform);
    const name = `Three firings ${randomBytes(4).toString("hex")}`;
    this.#threads.set(platform, name);
    await this.#beginPost(`${name}, 1`);
    await this.#tickAccount(username);
    await this.#updateForm();
    const own = this.#page.getByRole("group", { name: new RegExp(username) });
    await own.first().waitFor();
    for (const part of [2, 3]) {
      await person.pressButton("Add a part (thread)");
      await person.type(`Part ${part}`, `${name}, ${part}`);
    }
    await this.#typeSoon();
    await person.pressButton("Preview and schedule");
    await this.#heading("Preview");
    for (const part of [1, 2, 3]) {
      await this.#page.getByText(`${name}, ${part}`).first().waitFor();
    }
    await person.pressButton("Schedule");
    await this.#notice(/scheduled/i);
  }

  async #findThreads(): Promise<void> {
    for (const [platform, name] of this.#threads) {
      const post = (await this.#posts("?include_past=true")).find(({ caption }) => caption === `${name}, 1`);
      await this.#waitForStatus(post?.id ?? "", "published");
      const path = `/sandbox/platforms/${platform.toLowerCase()}/posts`;
      const { posts } = await call<{
        posts: readonly { id: string; text: string; options: Record<string, unknown> }[];
      }>(this.#parts.origin, "GET", path);
      const parts = posts.filter(({ text }) => text.startsWith(name)).toSorted((a, b) => (a.text < b.text ? -1 : 1));
      const answers = parts.map(({ options }) => JSON.stringify([options["reply"], options["in_reply_to_id"]]));
      const isThread = parts.every((_, index) => index === 0 || answers[index]?.includes(parts[index - 1]?.id ?? ""));
      if (parts.length !== 3 || !isThread) {
        throw new Error(`${platform} has ${parts.length} parts: ${answers.join(" ")}`);
      }
    }
  }

  async #composeDocument(): Promise<void> {
    const person = this.#person;
    await this.#beginPost(WITH_DOCUMENT);
    await this.#tickAccount("ada-example");
    await this.#updateForm();
    const own = this.#page.getByRole("group", { name: /ada-example/ });
    await own.first().waitFor();
    await person.unfold("Options", own);
    await person.chooseFiles("Or upload a PDF", [await this.#sample("handbook.pdf", "application/pdf")]);
    if (this.#parts.mode === "noscript") {
      await person.press(own.getByRole("button", { name: "Upload these files" }).filter({ visible: true }).first());
      await person.unfold("Options", own);
    }
    await this.#page.locator('input[name$=".document.url"][value$="handbook.pdf"]').waitFor();
    await person.type("Title of the document", "Kilns");
    await person.type("Day", dayIn(2));
    await person.type("Time", "09:00");
    await person.pressButton("Preview and schedule");
    await this.#heading("Preview");
    await person.pressButton("Schedule");
    await this.#notice(/scheduled/i);
    const post = (await this.#posts()).find(({ caption }) => caption === WITH_DOCUMENT);
    if (post?.targets[0]?.platform_options["document"] === undefined) {
      throw new Error(`the post has no document: ${JSON.stringify(post)}`);
    }
  }

  async #findOnTiktok(): Promise<void> {
    const post = (await this.#posts("?include_past=true")).find(({ caption }) => caption === this.#tiktokCaption);
    await this.#waitForStatus(post?.id ?? "", "published");
    const { posts } = await call<{ posts: readonly { text: string; options: Record<string, unknown> }[] }>(
      this.#parts.origin,
      "GET",
      "/sandbox/platforms/tiktok/posts",
    );
    const options = posts.find(({ text }) => text === this.#tiktokCaption)?.options ?? {};
    const wrong = Object.entries(ON_TIKTOK).filter(([name, value]) => options[name] !== value);
    if (wrong.length > 0) {
      throw new Error(`TikTok got other values: ${JSON.stringify(options)}`);
    }
  }

  /** The first file is the slowest, and the preview is asked for while it is on its way. */
  async #waitForFiles(): Promise<void> {
    if (this.#parts.mode === "noscript") {
      return;
    }
    const [person, page] = [this.#person, this.#page];
    let puts = 0;
    const slow = async (route: Route): Promise<void> => {
      if (route.request().method() === "PUT" && (puts += 1) === 1) {
        await sleep(SLOW_UPLOAD_MS);
      }
      // What the browser context answers for other hosts stays so.
      await route.fallback();
    };
    await page.route("**/*", slow);
    await this.#beginPost(IN_ORDER);
    await this.#tickAccount("ada_example");
    await person.type("Day", dayIn(2));
    await person.type("Time", "11:00");
    const sample = await this.#sample("portrait.jpg", "image/jpeg");
    const files = [1, 2, 3].map((n) => ({
      ...sample,
      name: `order-${n}.jpg`,
      // Bytes after the picture make each file one of its own.
      buffer: Buffer.concat([sample.buffer, Buffer.from(String(n))]),
    }));
    await person.chooseFiles("Upload files", files);
    await person.pressButton("Preview and schedule");
    await this.#notice(/^Waiting for \d file/);
    await this.#heading("Preview");
    await page.unroute("**/*", slow);
    await person.pressButton("Schedule");
    await this.#notice(/scheduled/i);
    const post = (await this.#posts()).find(({ caption }) => caption === IN_ORDER);
    const names = post?.media_items.map(({ url }) => url.split("/").at(-1));
    if (names?.join() !== files.map(({ name }) => name).join()) {
      throw new Error(
        `the post has these files in this order: ${names?.join()}; ${JSON.stringify((await this.#posts("?include_past=true")).map((p) => [p.id, p.caption, p.status, p.scheduled_at]))}`,
      );
    }
  }

  async #posts(query = ""): Promise<readonly ApiPost[]> {
    const { posts } = await call<{ posts: ApiPost[] }>(this.#parts.origin, "GET", `/v1/posts${query}`, {
      key: this.#key,
    });
    return posts;
  }

  async #findInApi(): Promise<void> {
    const post = (await this.#posts()).find(({ caption }) => caption === CAPTION);
    if (post?.status !== "scheduled" || post.scheduled_at !== `${dayIn(1)}T10:30:00.000Z`) {
      throw new Error(`the API does not list the post as it was scheduled: ${JSON.stringify(post)}`);
    }
  }

  async #scheduleByApi(platform: string, caption: string, dueAt: number): Promise<ApiPost> {
    const { origin } = this.#parts;
    const key = this.#key;
    const { accounts } = await call<{ accounts: ApiAccount[] }>(origin, "GET", "/v1/accounts", { key });
    const account = accounts.find((candidate) => candidate.platform === platform);
    const body = {
      caption,
      scheduled_at: new Date(dueAt).toISOString(),
      targets: [{ account_id: account?.id }],
    };
    const preview = await call<{ confirmation_token: string }>(origin, "POST", "/v1/posts/preview", { key, body });
    const confirm = { confirmation_token: preview.confirmation_token };
    const { posts } = await call<{ posts: [ApiPost] }>(origin, "POST", "/v1/posts/confirm", { key, body: confirm });
    return posts[0];
  }

  async #openCalendar(view: "month" | "list", day = dayIn(1)): Promise<void> {
    await this.#open(`/dashboard?view=${view}&date=${day}`);
  }

  /** On a phone the month shows only the number of posts per day, so the journey reads the list. */
  get #view(): "month" | "list" {
    return this.#parts.mode === "touch" ? "list" : "month";
  }

  async #findInDashboard(): Promise<void> {
    await this.#openCalendar(this.#view);
    await this.#scheduleByApi("linkedin", BY_API, Date.now() + DAY_MS);
    await this.#page.reload();
    await this.#page.getByRole("link", { name: BY_API }).first().waitFor();
  }

  async #drag(post: Locator, cell: Locator): Promise<void> {
    // A page that scrolls after the button is down drags what is under the mouse then.
    await cell.scrollIntoViewIfNeeded();
    if (this.#parts.browser === "chromium") {
      await post.dragTo(cell);
      return;
    }
    // A driven Firefox starts the drag and drags over, but ends without a drop (`_maybeEndDragSession` in its EventUtils.js says so).
    const mouse = this.#page.mouse;
    await post.hover();
    await mouse.down();
    const box = await cell.boundingBox();
    if (box === null) {
      throw new Error("the day to drop on is not to be seen");
    }
    await mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
    await this.#page.locator(".drop-here").dispatchEvent("drop");
    await mouse.up();
  }

  async #move(): Promise<void> {
    const person = this.#person;
    await this.#openCalendar(this.#view);
    const post = this.#page.getByRole("link", { name: CAPTION }).filter({ visible: true }).first();
    await post.waitFor();
    if (this.#parts.mode === "script") {
      const add = this.#page.getByRole("link", {
        name: new RegExp(`^New post on \\w+, ${Number(dayIn(2).slice(8))} `),
      });
      const day = this.#page.getByRole("listitem").filter({ has: add }).first();
      await this.#drag(post, day);
      await this.#notice(/^Moved from .* to /);
      await this.#waitForTime(CAPTION, `${dayIn(2)}T10:30:00.000Z`);
      await person.pressButton("Undo");
      await this.#waitForTime(CAPTION, `${dayIn(1)}T10:30:00.000Z`);
      await this.#openCalendar(this.#view);
      await this.#drag(post, day);
      await this.#notice(/^Moved from .* to /);
    } else {
      if (this.#parts.mode === "noscript") {
        // The link appears under the mouse.
        await person.pointAt(post);
      }
      await person.press(
        this.#page
          .getByRole("link", { name: /^Move the post of 10:30/ })
          .filter({ visible: true })
          .first(),
      );
      await person.type("Date", dayIn(2));
      if (this.#parts.mode === "noscript") {
        await person.pressButton("Continue");
        await this.#heading(/^Move from .* to .*\?$/);
      }
      await person.pressButton("Move");
      await this.#notice(this.#parts.mode === "noscript" ? /saved/i : /^Moved from .* to /);
    }
    await this.#waitForTime(CAPTION, `${dayIn(2)}T10:30:00.000Z`);
  }

  /** The page may say it before the API does, and a drag says nothing that a page load would wait for. */
  async #waitForTime(caption: string, time: string): Promise<void> {
    for (const deadline = Date.now() + 10_000; ; await sleep(200)) {
      const post = (await this.#posts()).find((one) => one.caption === caption);
      if (post?.scheduled_at === time) {
        return;
      }
      if (Date.now() > deadline) {
        throw new Error(`the post is not where it was moved to: ${JSON.stringify(post)}`);
      }
    }
  }

  async #moveSelection(): Promise<void> {
    const person = this.#person;
    const captions = [CAPTION, BY_API];
    const timesOf = async () => {
      const posts = await this.#posts();
      return captions.map((caption) => Date.parse(posts.find((post) => post.caption === caption)?.scheduled_at ?? ""));
    };
    const before = await timesOf();
    for (const days of [3, -3]) {
      await this.#openCalendar("list", dayIn(days > 0 ? 1 : 4));
      await person.followLink("Select");
      for (const caption of captions) {
        // The day is a list item too, around that of the post.
        const link = this.#page.getByRole("link", { name: caption });
        await person.choose(this.#page.getByRole("listitem").filter({ has: link }).last().getByRole("checkbox"));
      }
      await person.pressButton("Move");
      await this.#heading("Move 2 posts");
      await person.type("By how many days", String(days));
      await person.pressButton("Preview");
      await this.#heading("Move 2 posts?");
      await person.pressButton("Move 2 posts");
      await this.#notice("The posts are moved.");
      const after = await timesOf();
      const expected = before.map((at) => at + Math.max(days, 0) * DAY_MS);
      if (JSON.stringify(after) !== JSON.stringify(expected)) {
        throw new Error(`the posts are not where they were moved to: ${after.join(", ")}`);
      }
    }
  }

  async #openPost(caption: string, day: string): Promise<void> {
    await this.#openCalendar("list", day);
    await this.#person.press(this.#page.getByRole("link", { name: caption }).filter({ visible: true }).first());
    await this.#page.waitForURL("**/dashboard/posts/*");
  }

  async #edit(): Promise<void> {
    const person = this.#person;
    await this.#openPost(CAPTION, dayIn(2));
    await person.followLink("Edit");
    await person.type("Text", EDITED);
    await person.pressButton("Preview the changes");
    await this.#heading("What changes");
    await person.pressButton("Save the changes");
    await this.#notice(/changed|saved|edited/i);
  }

  async #duplicate(): Promise<void> {
    const person = this.#person;
    await this.#openPost(EDITED, dayIn(2));
    await person.followLink("Duplicate");
    await this.#heading(/^Copy of/);
    await person.type("Text", `${EDITED} again`);
    await person.type("Day", dayIn(3));
    await person.type("Time", "11:00");
    await person.pressButton("Preview and schedule");
    await this.#heading("Preview");
    await person.pressButton("Schedule");
    await this.#notice(/scheduled/i);
  }

  async #cancel(): Promise<void> {
    await this.#openPost(`${EDITED} again`, dayIn(3));
    await this.#person.unfold(/^Cancel/);
    await this.#person.pressButton("Cancel this post");
    await this.#notice(/cancelled/i);
  }

  async #waitForStatus(id: string, status: string): Promise<void> {
    for (const deadline = Date.now() + PUBLISH_TIMEOUT_MS; Date.now() < deadline; await sleep(500)) {
      const { post } = await call<{ post: ApiPost }>(this.#parts.origin, "GET", `/v1/posts/${id}`, { key: this.#key });
      if (post.status === status) {
        return;
      }
    }
    throw new Error(`the post did not become ${status}`);
  }

  async #repair(): Promise<void> {
    const person = this.#person;
    const { origin } = this.#parts;
    // A platform may refuse a text that was posted before.
    const caption = `Will fail once ${randomBytes(4).toString("hex")}`;
    // An earlier run may have ended between the fault and its post.
    await call(origin, "DELETE", "/sandbox/platforms/x/faults");
    await call(origin, "POST", "/sandbox/platforms/x/faults", {
      body: {
        match: { method: "POST", path: "/2/tweets" },
        effect: "answer",
        status: 403,
        body: { title: "Forbidden", detail: "You are not permitted to perform this action.", status: 403 },
      },
    });
    const post = await this.#scheduleByApi("x", caption, Date.now() + 4000);
    await this.#waitForStatus(post.id, "failed");
    await this.#openCalendar("list", dayIn(0));
    await this.#page
      .getByRole("link", { name: new RegExp(`${caption}.*Failed`) })
      .first()
      .waitFor();
    await this.#openPost(caption, dayIn(0));
    await person.followLink("Try again what failed");
    await person.pressButton("Continue");
    await person.pressButton("Try again");
    await this.#notice(/saved/i);
    await this.#waitForStatus(post.id, "published");
    await this.#open(`/dashboard/posts/${post.id}`);
    await this.#page.getByText("Published", { exact: true }).first().waitFor();
  }

  async #reconnect(): Promise<void> {
    const person = this.#person;
    await call(this.#parts.origin, "POST", "/sandbox/platforms/linkedin/revoke", { body: { account: "ada" } });
    await this.#goTo("Accounts");
    await person.pressButton("Check now");
    await this.#page.getByText(/a new login before anything can be published/).waitFor();
    await person.pressButton("Reconnect Ada Example (LinkedIn)");
    await this.#logIn("LinkedIn");
    if (await this.#page.getByText(/a new login before anything/).isVisible()) {
      throw new Error("the account still needs a login");
    }
    await this.#countPlaces();
  }
}
