import { clientForLogin, configuredPlatform, getAccountAccess } from "#accounts/index.ts";
import { authenticate, presentedCredential } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { fixedWorkspace } from "#core/actor.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import type { LiveAnswer } from "#platforms/contract.ts";
import { OPERATOR_CHECKS } from "#platforms/operator-registry.ts";
import { findAccountOf } from "./store-facts.ts";

/** A question to a platform's live API, as the operator sees it before any call. */
export interface OpenQuestion {
  readonly id: string;
  readonly question: string;
  /** What the calls would change at the platform. Null if they only read. */
  readonly writes: string | null;
}

export function openQuestions(platform: string): readonly OpenQuestion[] | null {
  const known = PLATFORMS.find((one) => one === platform);
  const questions = known && (OPERATOR_CHECKS[known].liveQuestions ?? []);
  return questions ? questions.map(({ id, question, writes }) => ({ id, question, writes })) : null;
}

export type LiveResult =
  | { readonly state: "answered"; readonly answer: LiveAnswer }
  | { readonly state: "refused"; readonly message: string };

const refused = (message: string): LiveResult => ({ state: "refused", message });

/**
 * Makes the calls of one question with an account of the user who owns the given API key. The operator's key alone
 * gives no access to accounts, so nothing is written to another person's account.
 */
export async function askLiveQuestion(
  services: Services,
  input: { readonly questionId: string; readonly accountId: string; readonly authorization: string | null },
): Promise<LiveResult> {
  const presented = await presentedCredential(input.authorization, services.config.baseUrl);
  const caller = presented.ok ? await authenticate(services, presented) : presented;
  if (!caller.ok || !caller.actor.scopes.includes("posts:write")) {
    return refused("ALMANAC_KEY must be an API key of your own user with posts:write");
  }
  const { userId } = caller.actor;
  const owner = { userId, workspaceId: fixedWorkspace(caller.actor) };
  const platform = await findAccountOf(services.db, owner, input.accountId);
  if (platform === null) {
    return refused("this account is not one of the user whose ALMANAC_KEY was shown");
  }
  return await askWith(services, platform, input);
}

async function askWith(
  services: Services,
  platform: Platform,
  { questionId, accountId }: { readonly questionId: string; readonly accountId: string },
): Promise<LiveResult> {
  const question = OPERATOR_CHECKS[platform].liveQuestions?.find(({ id }) => id === questionId);
  const configured = configuredPlatform(services, platform);
  const access = (await getAccountAccess(services, [accountId])).get(accountId);
  if (!question || !configured || !access?.ok) {
    return refused(access?.ok === false ? access.fault.message : "the account's platform has no such question");
  }
  try {
    const client = clientForLogin(services, configured.adapter, access.value);
    return { state: "answered", answer: await question.ask(client, access.value) };
  } catch {
    return refused("the connection broke; look at the account before you try again: something may have been written");
  }
}
