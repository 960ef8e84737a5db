import { execFile, execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, test } from "vitest";
import { PLATFORM_WORDS } from "../../../clients/cli/src/completion.ts";
import { EXIT } from "../../../clients/cli/src/exit-codes.ts";
import { PLATFORMS } from "#core/platform.ts";
import { buildCli, CLI_FOLDER } from "../../../scripts/cli/build.ts";
import { recordSession, sessionIn, withoutDays } from "../../../scripts/cli/record-session.ts";
import { ConsentingUser } from "../../../scripts/judges/oauth/consenting-user.ts";
import { call, freePort, migrate, type Service, sleep, startService } from "../../../scripts/service.ts";
import { Clock } from "../../../clients/cli/src/times.ts";
import { ConfirmProxy } from "./confirm-proxy.ts";
import { ALMANAC, almanac, almanacInTerminal, environmentOf, start } from "./run-almanac.ts";

const run = promisify(execFile);
const DAY_MS = 24 * 60 * 60 * 1000;

interface User {
  readonly email: string;
  readonly password: string;
  readonly api_key: string;
}

interface Posts {
  readonly posts: readonly {
    readonly id: string;
    readonly caption: string;
    readonly status: string;
    readonly scheduled_at: string;
  }[];
}

let root: string;
let service: Service;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "almanac-cli-"));
  const stateDir = join(root, "state");
  const [port] = await Promise.all([freePort(), migrate(stateDir), buildCli()]);
  service = await startService({ port, stateDir, logFile: join(root, "service.log") });
});

afterAll(async () => {
  await service.stop();
  await rm(root, { recursive: true, force: true });
});

/** A user with accounts, and an empty folder of settings. X answers 75 looks at one login in a quarter of an hour. */
async function newUser(platforms: readonly string[] = ["x"], login = "ben") {
  const user = await call<User>(service.origin, "POST", "/sandbox/users", { body: {} });
  for (const platform of platforms) {
    await call(service.origin, "POST", "/sandbox/connect", { body: { api_key: user.api_key, platform, login } });
  }
  const folder = await mkdtemp(join(root, "home-"));
  return { user, folder, env: environmentOf(folder) };
}

/** The same, with the key in the environment as scripts have it. */
async function newCaller(platforms?: readonly string[], login?: string) {
  const { user, folder } = await newUser(platforms, login);
  const env = environmentOf(folder, { ALMANAC_URL: service.origin, ALMANAC_API_KEY: user.api_key });
  return {
    user,
    folder,
    env,
    posts: () => call<Posts>(service.origin, "GET", "/v1/posts?include_past=true", { key: user.api_key }),
  };
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe("login with a key", () => {
  test("reads it from the standard input, and stores it for its owner only", async ({ expect }) => {
    const { user, env, folder } = await newUser();
    const signedIn = await almanac(["login", "--key", "--server", service.origin], env, `${user.api_key}\n`);
    expect(signedIn, signedIn.stderr).toMatchObject({ code: EXIT.done });
    expect(signedIn.stdout + signedIn.stderr).not.toContain(user.api_key);
    expect(await modeOf(join(folder, "almanac", "credentials.json"))).toBe("600");
    expect(await modeOf(join(folder, "almanac"))).toBe("700");
    expect(await almanac(["accounts", "--json"], env)).toMatchObject({ code: EXIT.done });
  });

  test("asks for it on a terminal without showing it", async ({ expect }) => {
    const { user, env } = await newUser();
    const { code, stdout } = await almanacInTerminal(["login", "--key", "--server", service.origin], env, {
      replies: [["Paste an API key", `${user.api_key}\r`]],
    });
    expect(code, stdout).toBe(EXIT.done);
    expect(stdout).not.toContain(user.api_key.slice(4, 20));
  });

  test("closes a file that others can read", async ({ expect }) => {
    const { user, env, folder } = await newUser();
    await almanac(["login", "--key", "--server", service.origin], env, user.api_key);
    const file = join(folder, "almanac", "credentials.json");
    execFileSync("chmod", ["644", file]);
    await almanac(["whoami"], env);
    expect(await modeOf(file)).toBe("600");
  });

  test.for([
    [["login", "--key", "--server", "http://almanac.example.org"], "", "insecure_server", EXIT.usage],
    [["login", "--key", "--server", "https://ada@almanac.example.org"], "", "unclear_server", EXIT.usage],
    [["login", "--key"], "", "server_missing", EXIT.usage],
    [["login", "--key", "--server", "http://localhost:1"], "not a key", "unclear_key", EXIT.usage],
    [["login", "--key", "--server", "http://localhost:1"], `alk_${"a".repeat(49)}`, "no_answer", EXIT.noAnswer],
  ] as const)("%j refuses", async ([args, stdin, code, exit], { expect }) => {
    const { env, folder } = await newUser([]);
    const refused = await almanac([...args, "--json"], env, stdin);
    expect(refused.code, refused.stderr).toBe(exit);
    expect(JSON.parse(refused.stderr.trim().split("\n").at(-1) ?? "")).toMatchObject({ code });
    expect(refused.stdout).toBe("");
    expect(await readdir(folder)).toEqual([]);
  });

  test("an unknown key is refused, and nothing is stored", async ({ expect }) => {
    const { env, folder } = await newUser([]);
    const refused = await almanac(["login", "--key", "--server", service.origin], env, `alk_${"a".repeat(49)}`);
    expect(refused.code).toBe(EXIT.signedOut);
    expect(refused.stderr).toContain("almanac login");
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("login through the browser", () => {
  /** Signs in as a person does who opens the address that the command prints. */
  async function signIn(args: readonly string[] = []) {
    const { user, folder, env } = await newUser();
    const { child, ended } = start(["login", "--server", service.origin, "--no-browser", ...args], env);
    const url = await new Promise<string>((resolve, reject) => {
      let text = "";
      child.stderr?.on("data", (part: Buffer) => {
        text += part.toString();
        const found = /http\S+\/oauth\/authorize\?\S+(?=\n)/.exec(text)?.[0];
        if (found) {
          resolve(found);
        }
      });
      child.on("exit", () => reject(new Error(text)));
    });
    const person = await ConsentingUser.signIn(service.origin, user.email, user.password);
    const back = await person.allow(url);
    return { url: new URL(url), back, ended, env, file: join(folder, "almanac", "credentials.json") };
  }

  test("uses PKCE and a loopback address with a random port, and renews and ends its access", async ({ expect }) => {
    const { url, back, ended, env, file } = await signIn();
    expect(url.searchParams.get("code_challenge_method")).toBe("S256");
    expect(url.searchParams.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    // Somebody else's answer does not end the wait.
    const foreign = new URL(back);
    foreign.searchParams.set("state", "of-somebody-else");
    expect((await fetch(foreign)).status).toBe(400);
    const page = await fetch(back);
    expect(await page.text()).toContain("You are signed in");
    expect(page.headers.get("content-security-policy")).toBe("default-src 'none'");
    const signedIn = await ended;
    expect(signedIn, signedIn.stderr).toMatchObject({ code: EXIT.done });
    expect(await modeOf(file)).toBe("600");

    const first = JSON.parse(await readFile(file, "utf8")) as Record<string, string>;
    expect(signedIn.stdout + signedIn.stderr).not.toContain(first["accessToken"]);
    await writeFile(file, JSON.stringify({ ...first, expiresAt: "2020-01-01T00:00:00.000Z" }));
    expect(await almanac(["accounts"], env)).toMatchObject({ code: EXIT.done });
    const renewed = JSON.parse(await readFile(file, "utf8")) as Record<string, string>;
    expect(renewed["accessToken"]).not.toBe(first["accessToken"]);
    expect(await modeOf(file)).toBe("600");

    expect(await almanac(["logout"], env)).toMatchObject({ code: EXIT.done });
    const { status } = await fetch(`${service.origin}/v1/accounts`, {
      headers: { authorization: `Bearer ${renewed["accessToken"]}` },
    });
    expect(status).toBe(401);
    expect(await almanac(["whoami"], env)).toMatchObject({ code: EXIT.signedOut });
  });

  test("says so when the access was revoked", async ({ expect }) => {
    const { back, ended, env, file } = await signIn();
    await fetch(back);
    await ended;
    const { refreshToken, clientId } = JSON.parse(await readFile(file, "utf8")) as Record<string, string>;
    await fetch(`${service.origin}/oauth/revoke`, {
      method: "POST",
      body: new URLSearchParams({ token: refreshToken ?? "", client_id: clientId ?? "" }),
    });
    const refused = await almanac(["accounts"], env);
    expect(refused.code).toBe(EXIT.signedOut);
    expect(refused.stderr).toContain("was revoked or has ended: run `almanac login` again");
  });
});

describe("accounts", () => {
  test("are connected through the browser, listed, and counted by whoami", async ({ expect }) => {
    const { user, env } = await newCaller(["x"], "ada");
    const { child, ended } = start(["connect", "linkedin", "--no-browser", "--json"], env);
    await new Promise((resolve) => child.stderr?.once("data", resolve));
    await call(service.origin, "POST", "/sandbox/connect", {
      body: { api_key: user.api_key, platform: "linkedin", login: "ben" },
    });
    const connected = await ended;
    expect(connected.code, connected.stderr).toBe(EXIT.done);
    expect(JSON.parse(connected.stdout)).toMatchObject({ platform: "linkedin", accounts: [{ platform: "linkedin" }] });
    const listed = await almanac(["accounts", "--sync"], env);
    expect(listed.stdout).toMatch(/x\s+ada_example\s+Ada Example\s+active/);
    const whoami = JSON.parse((await almanac(["whoami", "--json"], env)).stdout) as object;
    expect(whoami).toMatchObject({
      kind: "key",
      time_zone: "Europe/Berlin",
      workspace: { is_active: true },
      limits: { accounts: { used: 2 } },
    });
    expect(JSON.stringify(whoami)).not.toContain(user.api_key);
  });

  test("of an unknown platform are refused by name", async ({ expect }) => {
    const { env } = await newCaller([]);
    const refused = await almanac(["connect", "myspace", "--no-browser"], env);
    expect(refused.code).toBe(EXIT.refused);
    expect(refused.stderr).toMatch(/platform/);
  });
});

describe("post", () => {
  const POST = ["post", "The new glaze is here.", "--to", "x,linkedin", "--at", "tomorrow 9:00"];

  test("shows the preview, asks, and schedules when the answer is yes", async ({ expect }) => {
    const { env, posts } = await newCaller(["x", "linkedin"], "ada");
    const { code, stdout } = await almanacInTerminal(POST, env, { replies: [["Schedule this?", "y"]] });
    expect(code, stdout).toBe(EXIT.done);
    expect(stdout).toMatch(/09:00 Europe\/Berlin \(GMT\+[12]\)/);
    expect(stdout).toMatch(/x\s+ada_example\s+22 of \d+/);
    expect((await posts()).posts).toMatchObject([{ caption: "The new glaze is here.", status: "scheduled" }]);
  });

  test("schedules nothing when the answer is no, or Ctrl-C", async ({ expect }) => {
    const { env, posts } = await newCaller(["x", "linkedin"]);
    expect((await almanacInTerminal(POST, env, { replies: [["Schedule this?", "n"]] })).code).toBe(EXIT.notConfirmed);
    expect((await almanacInTerminal(POST, env, { replies: [["Schedule this?", "\u0003"]] })).code).toBe(
      EXIT.interrupted,
    );
    expect((await posts()).posts).toEqual([]);
  });

  test("without a terminal and --yes sends nothing; --yes schedules, --json says what", async ({ expect }) => {
    const { env, posts } = await newCaller(["x", "linkedin"]);
    const refused = await almanac(POST, env);
    expect(refused).toMatchObject({ code: EXIT.notConfirmed, stdout: "" });
    expect(refused.stderr).toContain("--yes");
    expect((await posts()).posts).toEqual([]);
    const { code, stdout, stderr } = await almanac([...POST, "--yes", "--json"], env);
    expect(code, stderr).toBe(EXIT.done);
    const result = JSON.parse(stdout) as { state: string; post: { id: string }; preview: { targets: unknown[] } };
    expect(result).toMatchObject({ state: "scheduled", post: { status: "scheduled" } });
    expect((await posts()).posts).toMatchObject([{ id: result.post.id }]);
  });

  test("with --at now is published as soon as the answer is yes", async ({ expect }) => {
    const { env, posts } = await newCaller(["x"], "ada");
    const now = ["post", "Doors are open", "--to", "x", "--at", "now"];
    const shown = await almanacInTerminal(now, env, { replies: [["Schedule this?", "y"]] });
    expect(shown.code, shown.stdout).toBe(EXIT.done);
    expect(shown.stdout).toContain("now, as soon as it is confirmed");
    const dueAt = Date.parse((await posts()).posts[0]?.scheduled_at ?? "");
    let [post] = (await posts()).posts;
    while (post?.status === "scheduled" || post?.status === "publishing") {
      await sleep(250);
      [post] = (await posts()).posts;
    }
    expect(post).toMatchObject({ status: "published" });
    expect(Math.abs(Date.now() - dueAt)).toBeLessThan(30_000);
  });

  test("uploads files first, and takes the text from a pipe", async ({ expect }) => {
    const { env, folder } = await newCaller(["instagram"], "ada");
    const picture = join(folder, "launch.jpg");
    const bytes = await fetch(`${service.origin}/sandbox/media/portrait.jpg`).then((response) =>
      response.arrayBuffer(),
    );
    await writeFile(picture, new Uint8Array(bytes));
    const args = ["post", "-", "--to", "@ada_pictures", "--at", "in 3 hours", "--media", picture, "--yes", "--json"];
    const { code, stdout, stderr } = await almanac(args, env, "From a pipe\n");
    expect(code, stderr).toBe(EXIT.done);
    expect(JSON.parse(stdout)).toMatchObject({
      post: { caption: "From a pipe", post_type: "image", media_items: [{ width: 1080, height: 1350 }] },
    });
    const shown = await almanacInTerminal(["media", picture], env);
    expect(shown.stdout).toMatch(/launch\.jpg\s+█+\s+100 %/);
  });

  test("names every problem with its limit, and what to do next", async ({ expect }) => {
    const { env } = await newCaller(["x", "linkedin"], "ada");
    const tooLong = await almanac(
      ["post", "x".repeat(30_000), "--to", "x,linkedin", "--at", "in 3 hours", "--yes"],
      env,
    );
    expect(tooLong.code).toBe(EXIT.refused);
    expect(tooLong.stderr).toMatch(/allowed: \d+, yours: 30000/);
    expect(tooLong.stderr).toMatch(/Request \S+/);
    const unknown = await almanac(["post", "x", "--to", "myspace", "--at", "in 3 hours", "--yes"], env);
    expect(unknown).toMatchObject({ code: EXIT.usage });
    expect(unknown.stderr).toContain("connected are x:ada_example");
    const missing = await almanac([...POST, "--yes", "--media", "missing.jpg"], env);
    expect(missing).toMatchObject({ code: EXIT.usage });
    expect(missing.stderr).toContain("there is no such file");
  });

  test.for([
    ["linkedin.visibilty=connections", "option_unknown", "visibility"],
    ["linkedin.thread=[]", "option_unknown", "linkedin has no option"],
    ["linkdin.visibility=public", "unknown_platform", "linkedin"],
    ["youtube.title=Bowls", "option_without_account", "no account of youtube"],
  ] as const)(
    "an option that would be dropped is refused before anything is sent: %j",
    async ([option, code, text], { expect }) => {
      const { env, posts } = await newCaller(["x", "linkedin"]);
      const refused = await almanac([...POST, "--yes", "--json", "-o", option], env);
      expect(refused.code, refused.stderr).toBe(EXIT.usage);
      expect(JSON.parse(refused.stderr)).toMatchObject({ code, error: expect.stringContaining(text) });
      expect((await posts()).posts).toEqual([]);
    },
  );

  test("shows every option that is set, also those that no table has room for", async ({ expect }) => {
    const { env } = await newCaller(["x"], "ada");
    const answer = "x".repeat(25);
    const poll = JSON.stringify({ options: ["Blue", answer], duration_minutes: 1440 });
    const { code, stdout } = await almanacInTerminal(
      [
        "post",
        "Which?",
        "--to",
        "x",
        "--at",
        "tomorrow 9:00",
        "-o",
        "x.reply_settings=following",
        "-o",
        `x.poll=${poll}`,
      ],
      env,
      { replies: [["Schedule this?", "n"]], columns: 60 },
    );
    expect(code, stdout).toBe(EXIT.notConfirmed);
    expect(stdout).toContain("Options of x ada_example:");
    expect(stdout).toContain("reply_settings: following");
    expect(stdout.replaceAll(/\r?\n +/g, "")).toContain(answer);
  });

  test("says how to connect a platform that is not, and why an address is no file", async ({ expect }) => {
    const { env } = await newCaller(["x"]);
    const unconnected = await almanac(["post", "Hi", "--to", "LinkedIn", "--at", "tomorrow 9:00", "--yes"], env);
    expect(unconnected.code).toBe(EXIT.usage);
    expect(unconnected.stderr).toContain("no account of linkedin is connected: run `almanac connect linkedin`");
    const plain = await almanac([...POST, "--to", "x", "--yes", "--media", "http://images.example.net/a.jpg"], env);
    expect(plain.code, plain.stderr).toBe(EXIT.refused);
    expect(plain.stderr).toMatch(/https/);
    expect(plain.stderr).not.toContain("file");
  });

  test.for(["before", "after"] as const)(
    "killed in the middle of a confirm, %s the service made it: the next run makes one post of it",
    async (moment, { expect }) => {
      const { user, folder, posts } = await newCaller();
      let kill: (() => void) | undefined;
      const proxy = new ConfirmProxy(service.origin, (now) => now === moment && kill?.());
      const env = environmentOf(folder, { ALMANAC_URL: await proxy.listen(), ALMANAC_API_KEY: user.api_key });
      const args = ["post", "Once", "--to", "x", "--at", "tomorrow 9:00", "--yes", "--json"];
      try {
        const { child, ended } = start(args, env);
        const died = new Promise<void>((resolve) => {
          kill = () => {
            child.kill("SIGKILL");
            resolve();
          };
        });
        await died;
        expect((await ended).code).toBe(null);
        kill = undefined;
        expect(await modeOf(join(folder, "almanac", "pending.json"))).toBe("600");
        const { code, stdout, stderr } = await almanac(args, env);
        expect(code, stderr).toBe(EXIT.done);
        const { posts: made } = await posts();
        expect(made).toHaveLength(1);
        expect(JSON.parse(stdout)).toMatchObject({ state: "scheduled", post: { id: made[0]?.id } });
        expect(await readdir(join(folder, "almanac"))).toEqual([]);
      } finally {
        proxy.close();
      }
    },
  );
});

describe("what was scheduled", () => {
  test("is listed, shown, edited, moved and cancelled", async ({ expect }) => {
    const { env, posts } = await newCaller(["x", "linkedin"]);
    const clock = new Clock("Europe/Berlin");
    const day = clock.dayOf(Date.now() + 60 * DAY_MS);
    const post = ["post", "The new glaze is here.", "--to", "x", "--at", `${day} 09:00`, "--yes", "--json"];
    const { post: made } = JSON.parse((await almanac(post, env)).stdout) as {
      post: { id: string; scheduled_at: string };
    };
    const { id, scheduled_at: at } = made;
    const short = id.slice(-8);

    const listed = await almanac(["list"], env);
    expect(listed.stdout).toMatch(/Time \(Europe\/Berlin\)\s+Status\s+Platforms\s+Caption\s+Id/);
    expect(listed.stdout).toMatch(/ 09:00\s+scheduled {2}x {10}The new glaze is here\. {2}/);
    expect(listed.stdout).toContain(short);
    expect(JSON.parse((await almanac(["list", "--json"], env)).stdout)).toMatchObject({ posts: [{ id }] });

    expect((await almanac(["list", "--search", "GLAZE new"], env)).stdout).toContain(short);
    expect((await almanac(["list", "--search", "kiln"], env)).stdout).toBe("No posts.\n");

    const month = day.slice(0, 7);
    const calendar = await almanac(["calendar", month], env);
    expect(calendar.stdout).toContain("•1");
    expect(calendar.stdout).toContain("  09:00  scheduled  x  The new glaze is here.");
    expect(JSON.parse((await almanac(["calendar", month, "--json"], env)).stdout)).toMatchObject({
      month,
      posts: [{ id }],
    });

    const shown = await almanac(["show", short, "--attempts", "--json"], env);
    expect(JSON.parse(shown.stdout)).toMatchObject({ post: { id }, attempts: [] });
    expect((await almanac(["show", short], env)).stdout).toContain(clock.full(at));

    const edited = await almanacInTerminal(["edit", short, "--text", "At last."], env, {
      replies: [["Change this?", "y"]],
    });
    expect(edited.code, edited.stdout).toBe(EXIT.done);
    expect(edited.stdout).toMatch(/caption\s+The new glaze is here\.\s+At last\./);
    const moved = await almanac(["move", short, "--by", "90m", "--yes", "--json"], env);
    expect(JSON.parse(moved.stdout)).toMatchObject({
      state: "edited",
      posts: [{ caption: "At last.", scheduled_at: new Date(Date.parse(at) + 90 * 60_000).toISOString() }],
    });

    const kept = await almanacInTerminal(["cancel", short], env, { replies: [["Cancel this post?", "n"]] });
    expect(kept.code).toBe(EXIT.notConfirmed);
    const cancelled = await almanac(["cancel", short, "--yes", "--json"], env);
    expect(JSON.parse(cancelled.stdout)).toEqual({ id, status: "cancelled" });
    expect((await posts()).posts).toEqual([]);
    expect(await almanac(["show", "ffffffff"], env)).toMatchObject({ code: EXIT.usage });
  });

  test("is tried again where it failed", async ({ expect }) => {
    const { user, env, posts } = await newCaller(["x"], "ada");
    await call(service.origin, "POST", "/sandbox/platforms/x/faults", {
      body: {
        match: { method: "POST", path: "/2/tweets" },
        effect: "answer",
        status: 403,
        body: { title: "Forbidden", detail: "You are not permitted to perform this action.", status: 403 },
      },
    });
    const { confirmation_token: token } = await call<{ confirmation_token: string }>(
      service.origin,
      "POST",
      "/v1/posts/preview",
      {
        key: user.api_key,
        body: { caption: "Try me", scheduled_at: new Date(Date.now() + 5000).toISOString(), platforms: ["x"] },
      },
    );
    await call(service.origin, "POST", "/v1/posts/confirm", { key: user.api_key, body: { confirmation_token: token } });
    let [post] = (await posts()).posts;
    while (post?.status === "scheduled" || post?.status === "publishing") {
      await sleep(500);
      [post] = (await posts()).posts;
    }
    expect(post?.status).toBe("failed");
    const shown = await almanac(["show", post?.id ?? ""], env);
    expect(shown.stdout).toMatch(/x\s+ada_example\s+failed/);
    const retried = await almanac(["retry", post?.id ?? "", "--at", "in 2 hours", "--yes", "--json"], env);
    expect(JSON.parse(retried.stdout)).toMatchObject({
      state: "edited",
      posts: [{ id: post?.id, status: "scheduled" }],
    });
    expect((await posts()).posts).toHaveLength(1);
  });

  test("says where the log is switched on when nothing is written", async ({ expect }) => {
    const { env } = await newCaller();
    const { child, ended } = start(["webhooks", "listen", "--every", "1"], env);
    const told = await new Promise<string>((resolve) => {
      child.stderr?.on("data", (text: Buffer) => resolve(text.toString()));
    });
    expect(told).toContain(`Switch the log on at ${service.origin}/dashboard/webhooks`);
    child.kill("SIGINT");
    await ended;
  });

  test("sends events, one JSON value on each line", async ({ expect }) => {
    const { user, env } = await newCaller();
    await call(service.origin, "POST", "/v1/webhooks", {
      key: user.api_key,
      body: { url: `${service.origin}/sandbox/receivers/cli`, types: ["*"] },
    });
    const { child, ended } = start(["webhooks", "listen", "--after", "0", "--every", "1", "--json"], env);
    const first = new Promise<string>((resolve) => {
      child.stdout?.on("data", (text: Buffer) => resolve(text.toString()));
    });
    const { stdout } = await almanac(["post", "Heard", "--to", "x", "--at", "tomorrow 9:00", "--yes", "--json"], env);
    const { post } = JSON.parse(stdout) as { post: { id: string } };
    const [line = ""] = (await first).split("\n");
    expect(JSON.parse(line)).toMatchObject({ type: "post.scheduled", data: { post: { id: post.id } } });
    child.kill("SIGINT");
    expect((await ended).code).toBe(EXIT.interrupted);
  });
});

describe("slots", () => {
  test("are set, shown and found, and take posts one after the other", async ({ expect }) => {
    const { env, posts } = await newCaller(["threads"]);
    expect((await almanac(["slots"], env)).stdout).toBe("No slots.\n");
    const set = ["slots", "set", "weekdays 9:30", "sat,sundays 18:00", "sat 18:00"];
    expect(await almanac(set, env)).toMatchObject({ code: EXIT.notConfirmed, stdout: "" });
    const asked = await almanacInTerminal(set, env, { replies: [["Replace them?", "y"]] });
    expect(asked.code, asked.stdout).toBe(EXIT.done);
    expect(asked.stdout).toMatch(/Now\s+No slots\.\s+Then\s/);
    const shown = await almanac(["slots", "show"], env);
    expect(shown.stdout).toMatch(/Day\s+Times \(Europe\/Berlin\)\nMonday\s+09:30\n/);
    expect(JSON.parse((await almanac(["slots", "--json"], env)).stdout)).toMatchObject({
      time_zone: "Europe/Berlin",
      slots: [{ weekday: 0, time: "09:30" }, {}, {}, {}, {}, { weekday: 5, time: "18:00" }, { weekday: 6 }],
    });
    const found = JSON.parse((await almanac(["slots", "next", "--count", "2", "--json"], env)).stdout) as {
      next_slots: { scheduled_at: string }[];
    };
    expect((await almanac(["slots", "next", "-c", "1"], env)).stdout).toMatch(/(?:09:30|18:00) Europe\/Berlin/);

    const post = async (text: string, ...args: string[]) => {
      const { code, stdout, stderr } = await almanac(
        ["post", text, "--to", "threads", "--yes", "--json", ...args],
        env,
      );
      expect(code, stderr).toBe(EXIT.done);
      return (JSON.parse(stdout) as { post: { id: string; scheduled_at: string } }).post;
    };
    const [first, second] = found.next_slots.map(({ scheduled_at: at }) => at);
    expect((await post("One", "--slot")).scheduled_at).toBe(first);
    const later = await post("Two", "--slot", "--at", "in 60 days");
    expect(new Date(later.scheduled_at).getTime()).toBeGreaterThan(Date.now() + 59 * DAY_MS);
    const moved = await almanac(["move", later.id, "--slot", "--yes", "--json"], env);
    expect(JSON.parse(moved.stdout), moved.stderr).toMatchObject({ posts: [{ scheduled_at: second }] });
    expect((await posts()).posts).toHaveLength(2);

    expect((await almanac(["slots", "set", "--none", "--yes"], env)).stdout).toBe("No slots.\n");
    const none = await almanac(["edit", later.id, "--slot", "--at", "in 3 hours", "--yes"], env);
    expect(none).toMatchObject({ code: EXIT.refused });
    expect(none.stderr).toContain("the workspace has no slots");
  });

  test.for([
    [["slots", "set", "someday 9:00", "--yes"], "unclear_slot"],
    [["slots", "set", "mon 25:00", "--yes"], "unclear_slot"],
    [["slots", "set", "--yes"], "slots_missing"],
    [["slots", "set", "mon 9:00", "--none", "--yes"], "slots_missing"],
    [["slots", "next", "--count", "0"], "unclear_count"],
    [["post", "Hi", "--to", "x", "--yes"], "time_missing"],
    [["post", "Hi", "--slot", "--yes"], "accounts_missing"],
    [["move", "ffffffff", "--by", "2h", "--slot", "--yes"], "exclusive_options"],
  ] as const)("%j sends nothing", async ([args, code], { expect }) => {
    // Nobody answers there.
    const nowhere = { ALMANAC_URL: "http://localhost:1", ALMANAC_API_KEY: `alk_${"a".repeat(49)}` };
    const refused = await almanac([...args, "--json"], environmentOf(root, nowhere));
    expect(refused.code, refused.stderr).toBe(EXIT.usage);
    expect(JSON.parse(refused.stderr)).toMatchObject({ code });
  });
});

describe("drafts", () => {
  const idOf = ({ stdout }: { stdout: string }) => (JSON.parse(stdout) as { draft: { id: string } }).draft.id;

  test("are saved, listed, shown, changed, scheduled and deleted", async ({ expect }) => {
    const { env, posts } = await newCaller(["threads"]);
    const saved = await almanac(["drafts", "save", "The new glaze", "--to", "threads", "--json"], env);
    expect(saved.code, saved.stderr).toBe(EXIT.done);
    const id = idOf(saved);
    const short = id.slice(-8);
    const listed = await almanac(["drafts"], env);
    expect(listed.stdout).toMatch(/Changed \(Europe\/Berlin\)\s+Caption\s+Id\n/);
    expect(listed.stdout).toContain(short);
    const shown = await almanac(["drafts", "show", short], env);
    expect(shown.stdout).toMatch(/Where\s+threads \S+\n/);
    expect(shown.stdout).toContain("scheduled_at is required");

    const change = ["drafts", "edit", short, "--text", "The new glaze is here.", "--at", "tomorrow 9:00"];
    expect((await almanacInTerminal(change, env, { replies: [["Change this draft?", "n"]] })).code).toBe(
      EXIT.notConfirmed,
    );
    const changed = await almanacInTerminal(change, env, { replies: [["Change this draft?", "y"]] });
    expect(changed.code, changed.stdout).toBe(EXIT.done);
    expect(changed.stdout).toMatch(/caption\s+The new glaze\s+The new glaze is here\./);
    expect(changed.stdout).not.toContain("time_zone");
    expect(await almanac([...change, "--yes"], env)).toMatchObject({ code: EXIT.usage });

    const dry = await almanac(["drafts", "schedule", short, "--dry-run", "--json"], env);
    expect(JSON.parse(dry.stdout)).toMatchObject({
      state: "previewed",
      preview: { caption: "The new glaze is here." },
    });
    expect((await posts()).posts).toEqual([]);
    const scheduled = await almanacInTerminal(["drafts", "schedule", short], env, {
      replies: [["Schedule this?", "y"]],
    });
    expect(scheduled.code, scheduled.stdout).toBe(EXIT.done);
    expect((await posts()).posts).toMatchObject([{ caption: "The new glaze is here.", status: "scheduled" }]);
    const gone = await almanac(["drafts", "show", id], env);
    expect(gone.code).toBe(EXIT.refused);
    expect(gone.stderr).toContain("`almanac drafts`");

    const other = idOf(await almanac(["drafts", "save", "-", "--json"], env, "From a pipe\n"));
    const kept = await almanacInTerminal(["drafts", "delete", other], env, { replies: [["Delete this draft?", "n"]] });
    expect(kept.code).toBe(EXIT.notConfirmed);
    expect(kept.stdout).toContain("From a pipe");
    const deleted = await almanac(["drafts", "delete", other, "--yes", "--json"], env);
    expect(JSON.parse(deleted.stdout)).toEqual({ id: other, deleted: true });
    expect(JSON.parse((await almanac(["drafts", "list", "--json"], env)).stdout)).toEqual({
      drafts: [],
      has_more: false,
    });
  });

  test("keep what somebody else changed while the question was open", async ({ expect }) => {
    const { user, env } = await newCaller([]);
    const id = idOf(await almanac(["drafts", "save", "One", "--json"], env));
    const changeMeanwhile = async () => {
      const body = { version: 1, caption: "Theirs" };
      await call(service.origin, "PATCH", `/v1/drafts/${id}`, { key: user.api_key, body });
      return "y";
    };
    const refused = await almanacInTerminal(["drafts", "edit", id, "--text", "Mine"], env, {
      replies: [["Change this draft?", changeMeanwhile]],
    });
    expect(refused.code, refused.stdout).toBe(EXIT.refused);
    expect(refused.stdout).toContain("has version 2 now");
    expect(refused.stdout).toContain("it reads the draft as it is now");
    expect(JSON.parse((await almanac(["drafts", "show", id, "--json"], env)).stdout)).toMatchObject({
      draft: { content: { caption: "Theirs" } },
    });
  });

  test("an option without accounts, an empty draft and an edit without a change are refused", async ({ expect }) => {
    const { env } = await newCaller([]);
    for (const [args, code] of [
      [["drafts", "save", "Hi", "--option", "x.made_with_ai=true"], "accounts_missing"],
      [["drafts", "save"], "draft_empty"],
      [["drafts", "list", "--limit", "101"], "unclear_limit"],
      [["drafts", "show", "ffffffff"], "unknown_id"],
    ] as const) {
      const refused = await almanac([...args, "--json"], env);
      expect(refused.code, refused.stderr).toBe(EXIT.usage);
      expect(JSON.parse(refused.stderr)).toMatchObject({ code });
    }
  });
});

describe("bulk", () => {
  const DAY = new Date(Date.now() + 60 * DAY_MS).toISOString().slice(0, 10);
  const TABLE = `caption;scheduled_at;platforms;labels
The new glaze is here.;${DAY}T18:00;threads;launch|ceramics

"Two lines;
and a semicolon";${DAY}T19:00:00Z;threads;
`;

  async function newTable(text: string | Uint8Array = TABLE, platforms: readonly string[] = ["threads"]) {
    const caller = await newCaller(platforms);
    const file = join(caller.folder, "month.csv");
    await writeFile(file, text);
    return { ...caller, file };
  }

  test("says how many posts there are, and schedules more than a hundred in parts", async ({ expect }) => {
    const german = `${DAY.slice(0, 8)}28`.split("-").toReversed().join(".");
    const lines = Array.from({ length: 102 }, (_, index) => `Post ${index + 1};${german} 18:00;threads;`);
    const { env, file } = await newTable(`sep=;\ncaption;scheduled_at;platforms;\n${lines.join("\n")}\n`);
    const shown = await almanac(["bulk", file, "--dry-run", "--json"], env);
    expect((JSON.parse(shown.stdout) as { preview: { posts: unknown[] } }).preview.posts).toHaveLength(102);
    const { code, stdout } = await almanacInTerminal(["bulk", file], env, {
      replies: [
        ["Schedule 100 posts?", "y"],
        ["Schedule 2 posts?", "n"],
      ],
    });
    expect(code, stdout).toBe(EXIT.notConfirmed);
    expect(stdout).toContain("The table has 102 posts: they are scheduled in parts of up to 100.");
    expect(stdout).toContain("The rows before 101 are scheduled: --from-row 101 goes on with the others.");
    const rest = await almanac(["bulk", file, "--from-row", "101", "--yes", "--json"], env);
    expect(rest.code, rest.stderr).toBe(EXIT.done);
    expect(JSON.parse(rest.stdout)).toMatchObject({ posts: [{ row: 101 }, { row: 102 }] });
    const list = await call<{ pagination: { total: number } }>(service.origin, "GET", "/v1/posts?limit=1", {
      key: env["ALMANAC_API_KEY"] ?? "",
    });
    expect(list.pagination.total).toBe(102);
  });

  test("shows every row, asks, and schedules all, with times of this computer's zone", async ({ expect }) => {
    const { env, posts, file } = await newTable();
    expect(await almanac(["bulk", file], env)).toMatchObject({ code: EXIT.notConfirmed, stdout: "" });
    const no = await almanacInTerminal(["bulk", file], env, { replies: [["Schedule 2 posts?", "n"]] });
    expect(no.code, no.stdout).toBe(EXIT.notConfirmed);
    expect((await posts()).posts).toEqual([]);
    const { code, stdout } = await almanacInTerminal(["bulk", file], env, { replies: [["Schedule 2 posts?", "y"]] });
    expect(code, stdout).toBe(EXIT.done);
    expect(stdout).toMatch(/1 +\w{3} \d{2} \w+(?: \d{4})? 18:00 +threads +The new glaze is here\. +\S*good/);
    expect(stdout).toMatch(/3 .*Two lines; and a semicolon/);
    expect(stdout).toContain("Scheduled: 2 posts.");
    expect((await posts()).posts).toHaveLength(2);
  });

  test("names problems by their row, and leaves such rows out when told to", async ({ expect }) => {
    const { env, posts, file } = await newTable(`${TABLE};soon;threads;\n`);
    const refused = await almanac(["bulk", file, "--yes", "--json"], env);
    expect(refused.code).toBe(EXIT.refused);
    expect(JSON.parse(refused.stderr)).toMatchObject({ details: [{ row: 4 }, { row: 4 }] });
    expect((await almanac(["bulk", file, "--yes"], env)).stderr).toMatch(/- row 4: scheduled_at/);
    expect((await posts()).posts).toEqual([]);
    const dry = await almanac(["bulk", file, "--skip-invalid", "--dry-run"], env);
    expect(dry.stderr).toMatch(/4 +left out\n/);
    expect(dry.stderr).toMatch(/x Row 4: .*scheduled_at/);
    const done = await almanac(["bulk", file, "--skip-invalid", "--yes", "--json"], env);
    expect(done.code, done.stderr).toBe(EXIT.done);
    expect(JSON.parse(done.stdout)).toMatchObject({ state: "scheduled", posts: [{ row: 1 }, { row: 3 }] });
    expect((await posts()).posts).toHaveLength(2);
    const none = await newTable("caption,scheduled_at\n,soon\n", []);
    const nothing = await almanac(["bulk", none.file, "--skip-invalid", "--yes"], none.env);
    expect(nothing.code, nothing.stderr).toBe(EXIT.refused);
    expect(nothing.stderr).toContain("no row of the table is good");
  });

  test("takes a table from a pipe, and says what cannot be read", async ({ expect }) => {
    const { env, posts } = await newTable();
    const piped = await almanac(["bulk", "-", "--yes", "--zone", "America/New_York", "--json"], env, `\uFEFF${TABLE}`);
    expect(piped.code, piped.stderr).toBe(EXIT.done);
    const [first] = (JSON.parse(piped.stdout) as { posts: { scheduled_at: string }[] }).posts;
    expect(new Clock("America/New_York").timeOfDay(first?.scheduled_at ?? "")).toBe("18:00");
    expect((await posts()).posts).toHaveLength(2);
    const latin = await newTable(Buffer.from("caption,scheduled_at\nGr\u00fc\u00df,x\n", "latin1"), []);
    for (const file of [latin.file, "missing.csv"]) {
      const refused = await almanac(["bulk", file, "--yes", "--json"], latin.env);
      expect(refused.code).toBe(EXIT.usage);
      expect(JSON.parse(refused.stderr)).toMatchObject({ code: "unreadable_file" });
    }
    const unknown = await newTable("caption,when\nHi,tomorrow\n", []);
    const columns = await almanac(["bulk", unknown.file, "--yes"], unknown.env);
    expect(columns.stderr).toContain("when");
    expect(columns.code).toBe(EXIT.refused);
  });

  test("killed after the service has made the posts, the next run makes none twice", async ({ expect }) => {
    const { user, folder, posts, file } = await newTable();
    let kill: (() => void) | undefined;
    const proxy = new ConfirmProxy(service.origin, (now) => now === "after" && kill?.());
    const env = environmentOf(folder, { ALMANAC_URL: await proxy.listen(), ALMANAC_API_KEY: user.api_key });
    try {
      const { child, ended } = start(["bulk", file, "--yes", "--json"], env);
      kill = () => child.kill("SIGKILL");
      expect((await ended).code).toBe(null);
      kill = undefined;
      const { code, stdout, stderr } = await almanac(["bulk", file, "--yes", "--json"], env);
      expect(code, stderr).toBe(EXIT.done);
      const { posts: made } = await posts();
      expect(made).toHaveLength(2);
      expect(JSON.parse(stdout)).toMatchObject({ state: "scheduled", posts: [{}, {}] });
      expect(await readdir(join(folder, "almanac"))).toEqual([]);
    } finally {
      proxy.close();
    }
  });
});

describe("what others have written", () => {
  test("cannot move the cursor", async ({ expect }) => {
    const { env } = await newCaller();
    const hostile = "\u001b[2J\u001b]0;owned\u0007Safe\u202e\u009b31m";
    const args = ["post", hostile, "--to", "x", "--at", "tomorrow 9:00", "--yes"];
    const scheduled = await almanac(args, env);
    expect(scheduled.code, scheduled.stderr).toBe(EXIT.done);
    const listed = await almanac(["list"], env);
    const json = await almanac(["list", "--json"], env);
    // oxlint-disable-next-line no-control-regex -- these must not be there
    expect(scheduled.stdout + scheduled.stderr + listed.stdout).not.toMatch(/[\u001b\u0007\u202e\u009b]/);
    expect(listed.stdout).toContain("Safe");
    // oxlint-disable-next-line no-control-regex -- these must not be there
    expect(json.stdout).not.toMatch(/[\u001b\u0007\u009b]/);
    expect(JSON.parse(json.stdout)).toMatchObject({ posts: [{ caption: expect.stringContaining("\u001b[2J") }] });
  });
});

describe("the terminal", () => {
  test("takes colours where it is one, not with NO_COLOR, and no line is wider than it", async ({ expect }) => {
    const { env } = await newCaller(["x", "linkedin"]);
    await almanac(
      ["post", "A caption of some length, with 日本語 and 🎉", "--to", "x", "--at", "tomorrow 9:00", "--yes"],
      env,
    );
    const coloured = await almanacInTerminal(["list"], env);
    expect(coloured.stdout).toContain("\u001b[");
    const plain = await almanacInTerminal(["list"], { ...env, NO_COLOR: "1" }, { columns: 60 });
    expect(plain.stdout).not.toContain("\u001b[");
    for (const line of plain.stdout.split(/\r?\n/)) {
      expect(line.length).toBeLessThanOrEqual(60);
    }
  });

  test("is not asked in CI", async ({ expect }) => {
    const { env } = await newCaller();
    const args = ["post", "Hi", "--to", "x", "--at", "tomorrow 9:00"];
    expect((await almanacInTerminal(args, { ...env, CI: "1" })).code).toBe(EXIT.notConfirmed);
  });
});

describe("the completion", () => {
  const has = (shell: string) => {
    try {
      execFileSync("which", [shell]);
      return true;
    } catch {
      return false;
    }
  };

  test("knows every platform", ({ expect }) => {
    expect(PLATFORM_WORDS).toEqual([...PLATFORMS]);
  });

  test.for([
    ["almanac w", ["webhooks", "whoami", "workspaces"]],
    ["almanac webhooks l", ["listen"]],
    ["almanac list --status p", ["paused", "partially_failed", "published", "publishing"]],
    ["almanac edit x --status p", ["paused"]],
    ["almanac connect link", ["linkedin"]],
    ["almanac post hi --to thr", ["threads"]],
    ["almanac completion f", ["fish"]],
    ["almanac cancel --y", ["--yes"]],
    ["almanac drafts s", ["save", "schedule", "show"]],
    ["almanac drafts edit --re", ["--remove-media"]],
    ["almanac slots n", ["next"]],
    ["almanac bulk --sk", ["--skip-invalid"]],
  ] as const)("in bash of %s", async ([line, expected], { expect }) => {
    const script = `source <(node "$0" completion bash)
      COMP_WORDS=(${line}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); compopt() { :; }; _almanac; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run("bash", ["-c", script.replace("node ", `${process.execPath} `), ALMANAC]);
    expect(new Set(stdout.trim().split("\n"))).toEqual(new Set(expected));
  });

  test.skipIf(!has("zsh"))("in zsh", async ({ expect }) => {
    const script = `autoload -Uz compinit && compinit -D; source <(${process.execPath} ${ALMANAC} completion zsh); print $_comps[almanac]; whence -w _almanac_webhooks_listen _almanac_drafts_save`;
    const { stdout, stderr } = await run("zsh", ["-fc", script]);
    expect(stdout, stderr).toBe("_almanac\n_almanac_webhooks_listen: function\n_almanac_drafts_save: function\n");
    expect(stderr).toBe("");
  });

  test.skipIf(!has("fish"))("in fish", async ({ expect }) => {
    const complete = async (line: string) => {
      const script = `${process.execPath} ${ALMANAC} completion fish | source; complete -C '${line}'`;
      const { stdout } = await run("fish", ["--no-config", "-c", script]);
      return stdout
        .split("\n")
        .map((entry) => entry.split("\t")[0])
        .filter(Boolean);
    };
    expect(await complete("almanac w")).toEqual(["webhooks", "whoami", "workspaces"]);
    expect(await complete("almanac webhooks l")).toEqual(["listen"]);
    expect(await complete("almanac connect link")).toEqual(["linkedin"]);
    expect(await complete("almanac drafts d")).toEqual(["delete"]);
    expect(await complete("almanac drafts edit --b")).toEqual([]);
    expect(await complete("almanac edit --b")).toEqual(["--by"]);
  });
});

describe("the package", () => {
  test("runs with npx from its tarball in an empty folder, without a network", async ({ expect }) => {
    const folder = await mkdtemp(join(root, "empty-"));
    const { stdout: packed } = await run("npm", ["pack", "--pack-destination", folder, "--json", CLI_FOLDER], {
      cwd: folder,
    });
    const [{ filename, files }] = JSON.parse(packed) as [{ filename: string; files: { path: string }[] }];
    expect(files.map(({ path }) => path).toSorted()).toEqual([
      "README.md",
      "dist/LICENCES.txt",
      "dist/almanac.js",
      "package.json",
    ]);
    const { stdout } = await run(
      "npx",
      ["--yes", "--offline", "--package", join(folder, filename), "almanac", "--version"],
      {
        cwd: folder,
        env: { ...process.env, npm_config_cache: join(folder, "cache") },
      },
    );
    expect(stdout.trim()).toBe("1.0.0");
  });

  test("has a README with a session as it is today", async ({ expect }) => {
    const shown = sessionIn(await readFile(join(CLI_FOLDER, "README.md"), "utf8"));
    expect(withoutDays(await recordSession(service.origin))).toBe(withoutDays(shown));
  });

  test("documents every exit code in its help", async ({ expect }) => {
    const { stdout } = await almanac(["--help"], environmentOf(root));
    for (const code of Object.values(EXIT)) {
      expect(stdout).toMatch(new RegExp(`^ {2}${code} `, "m"));
    }
  });
});

describe("workspaces", () => {
  /** A caller with a second workspace, and the drafts of both as the service has them. */
  async function newAgency() {
    const caller = await newCaller([]);
    const { user } = caller;
    const made = await call<{ workspace: { id: string } }>(service.origin, "POST", "/v1/workspaces", {
      key: user.api_key,
      body: { name: "Client B" },
    });
    const { workspaces } = await call<{ workspaces: { id: string; is_active: boolean }[] }>(
      service.origin,
      "GET",
      "/v1/workspaces",
      { key: user.api_key },
    );
    const first = workspaces.find(({ is_active: isActive }) => isActive)?.id ?? "";
    const activate = (id: string) =>
      call(service.origin, "POST", "/v1/workspaces/active", { key: user.api_key, body: { workspace_id: id } });
    const captionsIn = async (id: string) => {
      const { stdout } = await almanac(["drafts", "--json", "--workspace", id], caller.env);
      return (JSON.parse(stdout) as { drafts: { caption: string }[] }).drafts.map(({ caption }) => caption);
    };
    return { ...caller, first, second: made.workspace.id, activate, captionsIn };
  }

  test("are named by the option, the environment or `workspaces use`, whichever is active", async ({ expect }) => {
    const { env, first, second, activate, captionsIn } = await newAgency();
    const save = async (caption: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) => {
      const saved = await almanac(["drafts", "save", caption, ...args], { ...env, ...more });
      expect(saved, saved.stderr).toMatchObject({ code: EXIT.done });
    };
    await save("active", []);
    await save("by the option", ["--workspace", second.toUpperCase()]);
    await save("by the environment", [], { ALMANAC_WORKSPACE: second });
    const used = await almanac(["workspaces", "use", "Client B"], env);
    expect(used, used.stderr).toMatchObject({ code: EXIT.done, stdout: "The commands work in Client B.\n" });
    await save("by use", []);
    await save("the option first", ["--workspace", first]);
    await activate(second);
    expect(JSON.parse((await almanac(["workspaces", "--json"], env)).stdout)).toMatchObject({ workspace_id: second });
    await almanac(["workspaces", "use", first.slice(-12)], env);
    await save("by use of the other", []);
    await almanac(["workspaces", "use", "--none"], env);
    await save("active again", []);
    expect((await captionsIn(first)).toSorted()).toEqual(["active", "by use of the other", "the option first"]);
    expect((await captionsIn(second)).toSorted()).toEqual([
      "active again",
      "by the environment",
      "by the option",
      "by use",
    ]);
  });

  test("that are unknown, no id or of somebody else are refused with what to do", async ({ expect }) => {
    const { env } = await newAgency();
    const stranger = await newAgency();
    expect(await almanac(["drafts", "--workspace", "Client B"], env)).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringContaining("is no id of a workspace"),
    });
    expect(await almanac(["drafts", "--workspace", stranger.second], env)).toMatchObject({
      code: EXIT.refused,
      stderr: expect.stringContaining("almanac workspaces use"),
    });
    for (const args of [["Client C"], [stranger.second], [], ["Client B", "--none"]]) {
      expect(await almanac(["workspaces", "use", ...args], env)).toMatchObject({ code: EXIT.usage });
    }
  });
});
