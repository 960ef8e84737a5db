import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { AttackLog, Topic } from "./attack.ts";
import type { Answer, AttackedService, AttackUser } from "./attacked-service.ts";
import { SCRYPT_LOG_LINE } from "./instruments.ts";

/** Passwords of strangers that wait in an isolate. */
const PLACES = 8;

/** How long (ms) the runtime's output takes to reach the log file. */
const LOG_DELAY_MS = 400;

async function countScryptRuns(service: AttackedService, work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await sleep(LOG_DELAY_MS);
    return (await service.readLog()).split(SCRYPT_LOG_LINE).length - 1;
  };
  const before = await count();
  await work();
  return (await count()) - before;
}

const guess = (service: AttackedService, { email }: Pick<AttackUser, "email">, address?: string) =>
  service.send("POST", "/login", {
    form: { email, password: "a wrong password" },
    ...(address !== undefined && { address }),
  });

/** Makes addresses of one IPv6 network of 48 bits, each in another network of 64 bits. */
function addressesOfNetwork(): (index: number) => string {
  const network = `2001:db8:${randomBytes(2).toString("hex")}`;
  return (index) => `${network}:${index.toString(16)}::1`;
}

const unknownUser = () => ({ email: `${crypto.randomUUID()}@sandbox.example` });

/** Waits until the queue is full, or until every request has an answer. */
async function firstRefusal(flood: readonly Promise<Answer>[]): Promise<void> {
  const isFull = Promise.withResolvers<void>();
  for (const sent of flood) {
    void sent.then(({ status }) => (status === 503 ? isFull.resolve() : undefined));
  }
  await Promise.race([isFull.promise, Promise.all(flood)]);
}

/** Counts 503 as the refusal of a full queue. Every other server error stays a finding. */
function takeRefusals(service: AttackedService, log: AttackLog): void {
  for (const error of service.takeServerErrors().filter((text) => !text.includes("/login answered 503"))) {
    log.addFinding(error);
  }
}

export default {
  topic: "sign-in",
  attacks: [
    {
      name: "whether an address has an account: by the answer, and by the work that it costs",
      async run(service, log) {
        const user = await service.createUser();
        const withoutEmail = (text: string, email: string) => text.replaceAll(email, "…");
        const unknown = unknownUser();
        const known = await guess(service, user);
        const missing = await guess(service, unknown);
        log.expect(
          known.status === missing.status &&
            withoutEmail(known.text, user.email) === withoutEmail(missing.text, unknown.email),
          "the same answer",
          `a known address answers ${known.status}, an unknown one ${missing.status}`,
        );
        const forKnown = await countScryptRuns(service, () => guess(service, user));
        const forUnknown = await countScryptRuns(service, () => guess(service, unknownUser()));
        log.expect(
          forKnown === 1 && forUnknown === 1,
          "one scrypt run each",
          `${forKnown} and ${forUnknown} scrypt runs`,
        );
        const forNoAddress = await countScryptRuns(service, () => guess(service, { email: "" }));
        log.expect(forNoAddress <= 1, "at most one scrypt run", `an empty address costs ${forNoAddress} scrypt runs`);
      },
    },
    {
      name: "guesses of one password: thirty from one address, and twenty from as many of one network",
      slow: true,
      async run(service, log) {
        const user = await service.createUser();
        let limited = 0;
        // Send more than twice the limit of a minute, because the next minute may begin meanwhile.
        for (let count = 0; count < 30; count += 1) {
          limited += (await guess(service, user, "198.51.100.20")).status === 429 ? 1 : 0;
        }
        log.expect(limited >= 5, `429 × ${limited}`, `30 guesses from one address, ${limited} refused`);
        const other = await service.createUser();
        const addressOf = addressesOfNetwork();
        for (let count = 0; count < 20; count += 1) {
          await guess(service, other, addressOf(count));
        }
        const { email, password } = other;
        const address = addressOf(20);
        const { status } = await service.send("POST", "/login", { form: { email, password }, address });
        log.expect(status !== 303, "not even with the right password", "twenty guesses did not delay the next one");
      },
    },
    {
      name: "guesses that come too early: what they cost, for an address with an account and without",
      slow: true,
      async run(service, log) {
        for (const victim of [await service.createUser(), unknownUser()]) {
          const addressOf = addressesOfNetwork();
          for (let count = 0; count < 10; count += 1) {
            await guess(service, victim, addressOf(count));
          }
          const runs = await countScryptRuns(service, async () => {
            for (let count = 10; count < 15; count += 1) {
              await guess(service, victim, addressOf(count));
            }
          });
          log.expect(runs === 0, "no scrypt run", `five guesses that came too early cost ${runs} scrypt runs`);
        }
      },
    },
    {
      name: "wrong passwords of strangers everywhere, to lock somebody out",
      slow: true,
      async run(service, log) {
        const user = await service.createUser();
        const form = { email: user.email, password: user.password };
        const { cookies } = await service.prepare("POST", "/login", { form });
        const known = cookies.find((cookie) => cookie.startsWith("__Host-known-browser="));
        log.expect(known !== undefined, "a known browser", "signing in makes no known browser");
        const state = { guesses: 0, isOver: false };
        const strangers = Array.from({ length: 3 }, async () => {
          while (!state.isOver) {
            await guess(service, user);
            state.guesses += 1;
          }
        });
        while (state.guesses < 20) {
          await sleep(200);
        }
        for (let count = 0; count < 3; count += 1) {
          const address = addressesOfNetwork()(0);
          const elsewhere = await service.send("POST", "/login", { form, address });
          log.expectStatus(`the right password in a new browser after ${state.guesses} guesses`, elsewhere, 303);
          const again = await service.send("POST", "/login", { form, cookie: known ?? "", address: "198.51.100.77" });
          log.expectStatus(`the right password in a known browser after ${state.guesses} guesses`, again, 303);
        }
        state.isOver = true;
        await Promise.all(strangers);
      },
    },
    {
      name: "one network fills the queue of passwords, to keep new browsers out",
      slow: true,
      async run(service, log) {
        const user = await service.createUser();
        const form = { email: user.email, password: user.password };
        let refused = 0;
        for (let round = 0; round < 3; round += 1) {
          const [flooder, newcomer] = [addressesOfNetwork()(0), addressesOfNetwork()(0)];
          const flood = Array.from({ length: 40 }, () => guess(service, unknownUser(), flooder));
          await firstRefusal(flood);
          const { status } = await service.send("POST", "/login", { form, address: newcomer });
          log.expect(status === 303, "a place for others", `the right password in a new browser answered ${status}`);
          refused += (await Promise.all(flood)).filter((answer) => answer.status === 503).length;
        }
        takeRefusals(service, log);
        log.expect(refused > 0, `503 × ${refused}`, "the queue was never full");
      },
    },
    {
      name: "many networks keep the queue full with one place each, to keep new browsers out",
      slow: true,
      async run(service, log) {
        const user = await service.createUser();
        const form = { email: user.email, password: user.password };
        const state = { refused: 0, answered: 0, isOver: false };
        const networks = Array.from({ length: PLACES + 2 }, addressesOfNetwork);
        const strangers = networks.map(async (addressOf) => {
          for (let count = 0; !state.isOver; count += 1) {
            const { status } = await guess(service, unknownUser(), addressOf(count));
            state[status === 503 ? "refused" : "answered"] += 1;
            await sleep(100);
          }
        });
        try {
          // Who tries again has taken more places than a newcomer.
          while (state.answered < 2 * networks.length) {
            await sleep(100);
          }
          for (let round = 0; round < 2; round += 1) {
            const { status } = await service.send("POST", "/login", { form, address: addressesOfNetwork()(0) });
            log.expect(status === 303, "a place for others", `the right password in a new browser answered ${status}`);
          }
        } finally {
          state.isOver = true;
          await Promise.all(strangers);
        }
        takeRefusals(service, log);
        log.expect(state.refused > 0, `503 × ${state.refused}`, "the queue was never full");
      },
    },
    {
      name: "thirty sign-ins at the same moment, to stop the isolate",
      async run(service, log) {
        const { key } = await service.createUser();
        let refused = 0;
        const runs = await countScryptRuns(service, async () => {
          const guesses = Array.from({ length: 30 }, () => guess(service, unknownUser()));
          log.expectStatus("the API meanwhile", await service.send("GET", "/v1/accounts", { key }), 200);
          for (const { status, headers } of await Promise.all(guesses)) {
            refused += status === 503 && Number(headers["retry-after"]) > 0 ? 1 : 0;
          }
        });
        takeRefusals(service, log);
        log.expect(refused > 0 && runs + refused === 30, `503 × ${refused}`, `${runs} scrypt runs, ${refused} refused`);
      },
    },
    {
      name: "a new password and a reset, without the current password and with links that were never sent",
      async run(service, log) {
        const user = await service.createUser();
        const cookie = await service.signIn(user);
        const new_password = "another long password";
        for (const current_password of ["", "a wrong password"]) {
          const form = { new_password, current_password };
          const answer = await service.send("POST", "/dashboard/profile/password", { cookie, form });
          log.expectStatus(`a new password with "${current_password}"`, answer, 400);
        }
        const runs = await countScryptRuns(service, async () => {
          for (const token of ["", "x".repeat(43), "%' OR 1=1 --", cookie.slice(cookie.indexOf("=") + 1)]) {
            const answer = await service.send("POST", "/password/reset", { form: { token, new_password } });
            log.expectStatus("a reset with a made-up link", answer, 400);
          }
        });
        log.expect(runs === 0, "no scrypt run", `made-up links cost ${runs} scrypt runs`);
        const { status } = await service.send("POST", "/login", {
          form: { email: user.email, password: user.password },
        });
        log.expect(status === 303, "the password is the same", `signing in with the old password answered ${status}`);
      },
    },
    {
      name: "passwords that make hashing expensive",
      async run(service, log) {
        const { email } = await service.createUser();
        for (const password of ["x".repeat(50_000), "\uFDFA".repeat(15_000), "\u0000".repeat(1000), ""]) {
          const startedAt = Date.now();
          const { status } = await service.send("POST", "/login", { form: { email, password } });
          const ms = Date.now() - startedAt;
          log.expect(
            status >= 400 && ms < 5000,
            String(status),
            `${password.length} characters: ${status} after ${ms} ms`,
          );
        }
      },
    },
  ],
} satisfies Topic;
