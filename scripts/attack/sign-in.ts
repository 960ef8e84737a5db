import { setTimeout as sleep } from "node:timers/promises";
import type { Topic } from "./attack.ts";
import type { AttackedService, AttackUser } from "./attacked-service.ts";
import { SCRYPT_LOG_LINE } from "./instruments.ts";

/** Long enough for the runtime's output to reach the log file. */
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

const unknownUser = () => ({ email: `${crypto.randomUUID()}@sandbox.example` });

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
      name: "forty guesses of one password, from one address and from forty",
      async run(service, log) {
        const user = await service.createUser();
        let limited = 0;
        for (let count = 0; count < 20; count += 1) {
          limited += (await guess(service, user, "198.51.100.20")).status === 429 ? 1 : 0;
        }
        log.expect(limited >= 5, `429 × ${limited}`, `20 guesses from one address, ${limited} refused`);
        const other = await service.createUser();
        for (let count = 0; count < 20; count += 1) {
          await guess(service, other);
        }
        const { email, password } = other;
        const { status } = await service.send("POST", "/login", { form: { email, password } });
        log.expect(status !== 303, "not even with the right password", "twenty guesses did not delay the next one");
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
