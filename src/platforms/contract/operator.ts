import type { AccountAccess, AppCredentials, PlatformClient } from "./client.ts";
import type { ClientIdentity } from "./connect.ts";

/*
 * The part of the adapter contract that is about the operator: what can be told of an app and of the operator's settings without
 * a person's login. Nothing here publishes, and nothing that it returns contains a secret.
 */

/** What the privacy page and the terms of an installation say about one platform. */
export interface DataPolicy {
  /** What is read and kept beside tokens, names and ids, and what for; one sentence. */
  readonly use: string;
  /** How a person withdraws the access at the platform; one sentence. */
  readonly revoke: string;
  /** Statements that the platform's terms demand word for word or in substance. */
  readonly statements: readonly string[];
  /** The platform's own terms and policies that its developer terms ask to link. */
  readonly links: readonly { readonly title: string; readonly url: string }[];
  /** A sentence that the installation's own terms have to contain, with words of it that are a link. Absent: nothing is demanded. */
  readonly terms?: { readonly statement: string; readonly title: string; readonly url: string };
}

/** What a platform said when it was shown the operator's credentials. */
export interface CredentialCheck {
  /** `unknown`: it answered, and what it said tells neither. */
  readonly state: "accepted" | "refused" | "unknown" | "unreachable";
  /** The platform's own words, as far as they are no secret; empty when there were none. */
  readonly words: string;
}

/** How far the platform's review of the app has come, by what the operator states. */
export interface ReviewLevel {
  /** `limited`: by these settings people see less than they expect, or nothing. `unstated`: no setting says, and no call can tell. */
  readonly state: "none_needed" | "limited" | "passed" | "unstated";
  /** One sentence: what follows for accounts and posts. */
  readonly sentence: string;
}

/** A version of a platform's API that is switched off one day. */
export interface ApiVersion {
  /** As it is sent. */
  readonly name: string;
  /** Its last day, `2028-07-29`; null while the platform has not said, or when it does not know the version. */
  readonly endsOn: string | null;
  /** The page that lists the days. */
  readonly source: string;
}

/** What calls have shown about one open question. */
export interface LiveAnswer {
  /** What follows for this service and its settings; one sentence. */
  readonly conclusion: string;
  /** Each call with its status and, where it was refused, the platform's words; without ids and names of people. */
  readonly evidence: readonly string[];
  /** What stayed at the platform although it should be gone; empty when nothing did. */
  readonly leftBehind: readonly string[];
}

/** A question that no document answers; docs/platforms/live-calls.md lists them all. */
export interface LiveQuestion {
  readonly id: string;
  /** In the words of that list. */
  readonly question: string;
  /** What is written at the platform, seen by whom, and how it is removed; null when the calls only read. */
  readonly writes: string | null;
  /** Makes the calls with the operator's own account; removes what it wrote. */
  ask(client: PlatformClient, account: AccountAccess): Promise<LiveAnswer>;
}

/** What an operator can be told about one platform. */
export interface OperatorChecks {
  /** What in the credentials themselves is unlike those that the platform gives; empty when nothing is. Pure. */
  shapeProblems(app: AppCredentials): readonly string[];
  /** The state of the app's review. Pure. */
  reviewLevel(app: AppCredentials): ReviewLevel;
  /** The version that is called; absent where versions do not end. Pure. */
  readonly apiVersion?: (app: AppCredentials) => ApiVersion;
  /**
   * Shows the credentials to the platform in one call that changes nothing, and judges the answer by its error word: the same
   * status can mean both. Does not throw.
   */
  checkCredentials(client: PlatformClient, app: AppCredentials, identity: ClientIdentity): Promise<CredentialCheck>;
  /** Questions that calls with an account can settle; absent where there are none, or where a person has to do something. */
  readonly liveQuestions?: readonly LiveQuestion[];
}
