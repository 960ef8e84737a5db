import { type Attack, AttackLog, type Topic } from "./attack.ts";
import type { AttackedService } from "./attacked-service.ts";

const ATTACK_TIMEOUT_MS = 120_000;

export interface AttackTotals {
  readonly attacks: number;
  readonly tried: number;
  readonly findings: readonly string[];
}

function printResult(topic: string, { name }: Attack, log: AttackLog, ms: number): void {
  const state = log.findings.length === 0 ? "ok     " : "FINDING";
  const seconds = (ms / 1000).toFixed(1);
  console.log(
    `${state}  ${topic}: ${name}: ${log.tried} tried in ${seconds} s, refused as ${log.refusedAs || "nothing"}`,
  );
  for (const finding of log.findings) {
    console.log(`         ${finding}`);
  }
}

async function runAttack(attack: Attack, service: AttackedService): Promise<AttackLog> {
  const log = new AttackLog();
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new Error("the attack took too long")), ATTACK_TIMEOUT_MS);
  try {
    await Promise.race([attack.run(service, log), timeout.promise]);
    if (log.tried === 0) {
      log.addFinding("it tried nothing");
    }
  } catch (error) {
    log.addFinding(`it could not be carried out: ${String(error)}`);
  } finally {
    clearTimeout(timer);
  }
  for (const error of service.takeServerErrors()) {
    log.addFinding(error);
  }
  return log;
}

/** Runs the attacks one after the other, because some of them use up rate limits. */
export async function runAttacks(
  service: AttackedService,
  topics: readonly Topic[],
  { short }: { readonly short: boolean },
): Promise<AttackTotals> {
  let attacks = 0;
  let tried = 0;
  const findings: string[] = [];
  for (const { topic, attacks: ofTopic } of topics) {
    for (const attack of ofTopic.filter(({ slow }) => !(short && slow))) {
      const startedAt = Date.now();
      const log = await runAttack(attack, service);
      printResult(topic, attack, log, Date.now() - startedAt);
      attacks += 1;
      tried += log.tried;
      findings.push(...log.findings.map((finding) => `${topic}: ${attack.name}: ${finding}`));
    }
  }
  return { attacks, tried, findings };
}
