import { createInterface } from "node:readline/promises";
import type { LiveResult, OpenQuestion } from "#operator/ask-live-question.ts";
import { DeployFailure } from "../deploy/failure.ts";
import { ask, type ServiceAddress } from "./ask-service.ts";

export interface SettleInput {
  readonly address: ServiceAddress;
  readonly version: string;
  readonly platform: string;
  /** One of the operator's own accounts. */
  readonly accountId: string;
  /** An API key of the operator's own user. */
  readonly accountKey: string;
  /** Asks the operator before the command writes anything. */
  readonly confirm: (question: string) => Promise<boolean>;
}

function mustAnswer<T>(answer: Awaited<ReturnType<typeof ask<T>>>): T {
  if (!answer.ok) {
    throw new DeployFailure(answer.row.text, "then run the command again");
  }
  return answer.value;
}

async function settleOne(input: SettleInput, { id, question, writes }: OpenQuestion): Promise<string[]> {
  const title = `## ${question}`;
  if (writes !== null && !(await input.confirm(`${question}\nThis writes to your account: ${writes}. Do it?`))) {
    return [title, "Not asked: it writes to the account.", ""];
  }
  const path = `/operator/live-questions/${encodeURIComponent(id)}/accounts/${encodeURIComponent(input.accountId)}`;
  const result = mustAnswer(
    await ask<LiveResult>(input.address, "POST", path, { "almanac-account-key": input.accountKey }),
  );
  if (result.state === "refused") {
    return [title, `Not asked: ${result.message}.`, ""];
  }
  const { conclusion, evidence, leftBehind } = result.answer;
  return [
    title,
    `${conclusion}.`,
    ...evidence.map((line) => `- ${line}`),
    ...leftBehind.map((what) => `- **still there, remove it by hand:** ${what}`),
    "",
  ];
}

/** Makes the calls that settle open questions, and returns a report for the form "A platform changed". */
export async function settle(input: SettleInput): Promise<string> {
  const { platform, version } = input;
  const { questions } = mustAnswer(
    await ask<{ questions: readonly OpenQuestion[] }>(
      input.address,
      "GET",
      `/operator/live-questions/${encodeURIComponent(platform)}`,
    ),
  );
  const lines = [`# Live calls: ${platform}, Almanac ${version}, ${new Date().toISOString().slice(0, 10)}`, ""];
  for (const question of questions) {
    lines.push(...(await settleOne(input, question)));
  }
  if (questions.length === 0) {
    lines.push(
      "No question of this platform can be settled by a command; docs/platforms/live-calls.md has those for which you do something yourself.",
    );
  }
  return lines.join("\n").trimEnd();
}

/** Without a terminal the answer is no. */
export async function confirmAtTerminal(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  return /^y(?:es)?$/i.test(answer.trim());
}
