import { setTimeout as sleep } from "node:timers/promises";
import type { Topic } from "./attack.ts";
import type { AttackedService } from "./attacked-service.ts";
import { MAIL_LOG_LINE, MAIL_RECORDER } from "./instruments.ts";

const MAILS_PER_HOUR = 5;
const REQUESTS = 20;
/** How long (ms) the runtime's output takes to reach the log file. */
const LOG_DELAY_MS = 1000;

async function countMails(service: AttackedService, email: string): Promise<number> {
  await sleep(LOG_DELAY_MS);
  return (await service.readLog()).split(`${MAIL_LOG_LINE}${email}`).length - 1;
}

export default {
  topic: "mails",
  instrument: MAIL_RECORDER,
  attacks: [
    {
      name: "mails to somebody, caused by strangers everywhere",
      async run(service, log) {
        const user = await service.createUser();
        const unknown = `${crypto.randomUUID()}@sandbox.example`;
        const pages = new Map<string, Set<string>>();
        for (const email of [user.email, unknown]) {
          const answers = await Promise.all(
            Array.from({ length: REQUESTS }, () => service.send("POST", "/password/forgot", { form: { email } })),
          );
          for (const answer of answers) {
            log.expectStatus("a reset", answer, 200);
          }
          pages.set(email, new Set(answers.map(({ text }) => text.replaceAll(email, "…"))));
        }
        const sent = await countMails(service, user.email);
        log.expect(sent > 0 && sent <= MAILS_PER_HOUR, `${sent} mails`, `${REQUESTS} requests sent ${sent} mails`);
        const toUnknown = await countMails(service, unknown);
        log.expect(toUnknown === 0, "no mail", `an address without an account got ${toUnknown} mails`);
        const [known, missing] = [...pages.values()].map((texts) => [...texts].toSorted().join("\n"));
        log.expect(known === missing, "the same page", "the page tells whether the address has an account");
      },
    },
  ],
} satisfies Topic;
