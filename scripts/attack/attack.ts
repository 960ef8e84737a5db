import type { Patch } from "../source-copy.ts";
import type { AttackedService } from "./attacked-service.ts";

/** One attack: it tries what the service must refuse, and counts the refusals. */
export interface Attack {
  /** What a stranger or a greedy tenant would do, in words. */
  readonly name: string;
  /** Whether the attack takes more than a few seconds. `--short` skips such attacks. */
  readonly slow?: boolean;
  run(service: AttackedService, log: AttackLog): Promise<void>;
}

/** The attacks of one topic, which are the default export of its file. */
export interface Topic {
  readonly topic: string;
  /** A change of the source code with which the service of this topic runs, for measuring. */
  readonly instrument?: Patch;
  readonly attacks: readonly Attack[];
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

/** Counts the tries and refusals of one attack, and collects its findings. */
export class AttackLog {
  #tried = 0;
  readonly #refusals = new Map<string, number>();
  readonly #findings: string[] = [];

  get tried(): number {
    return this.#tried;
  }

  get findings(): readonly string[] {
    return this.#findings;
  }

  /** How the tries were refused, the most frequent way first. */
  get refusedAs(): string {
    return Array.from(this.#refusals)
      .sort(([, a], [, b]) => b - a)
      .map(([as, times]) => (this.#refusals.size === 1 ? as : `${as} × ${times}`))
      .join(", ");
  }

  /** Records a try that must be answered with one of these statuses. */
  expectStatus(what: string, answer: Answered, ...statuses: readonly number[]): void {
    this.expect(
      statuses.includes(answer.status),
      String(answer.status),
      `${what}: ${answer.status} instead of ${statuses.join(" or ")}: ${answer.text.slice(0, 300)}`,
    );
  }

  /** Records a try: a refusal if `isRefused` is true, otherwise a finding. */
  expect(isRefused: boolean, refusedAs: string, finding: string): void {
    this.#tried += 1;
    if (isRefused) {
      this.#refusals.set(refusedAs, (this.#refusals.get(refusedAs) ?? 0) + 1);
    } else {
      this.#findings.push(finding);
    }
  }

  /** Records a finding that is wrong in every attack, such as a server error. */
  addFinding(finding: string): void {
    this.#findings.push(finding);
  }
}
