export { getAccountAccess } from "./tokens/get-account-access.ts";
export { listBoards } from "./boards/list-boards.ts";
export { finishConnect } from "./connect/finish-connect.ts";
export { mapInParallel } from "./map-in-parallel.ts";
export { listAccounts } from "./list-accounts.ts";
export {
  clientForConnecting,
  clientForLogin,
  configuredPlatform,
  connectablePlatforms,
  withTimeoutCap,
} from "./configured-platform.ts";
export { clientIdentity, oauthMethodOf, redirectUriPattern } from "./connect/connect-methods.ts";
export { markNeedsReconnect } from "./tokens/mark-account-needs-reconnect.ts";
export { revokeConnection } from "./disconnect/revoke-connection.ts";
export { startConnect } from "./connect/start-connect.ts";
export { type AccountOffer, chooseAccounts, offerAccounts, type OfferedAccount } from "./connect/choose-accounts.ts";
export { findChoice, findOwnChoice, type OpenChoice } from "./connect/find-choice.ts";
export { type LoginStartResult, startLogin } from "./connect/start-login.ts";
export { clientMetadata } from "./connect/client-metadata.ts";
export { findConnect, INVALID_STATE_MESSAGE, type OpenConnect } from "./connect/find-connect.ts";
export {
  type AccountRow,
  type AccountSelection,
  accountsStatement,
  type ActiveLoginSummary,
  activeLoginsStatement,
  connectedAccountsStatement,
  connectedCountStatement,
  IS_SELECTED,
  namesOf,
  readAccounts,
  toAccount,
} from "./store-accounts.ts";
export { ENDS_SOON_MS } from "./refresh-and-sync-times.ts";
export {
  type AccountWithConnection,
  accountsWithConnectionsStatement,
  claimDueConnections,
  claimFirstDueConnections,
  type ConnectionRow,
  endSyncs,
  readAccountsWithConnections,
  releaseConnections,
} from "./store-connections.ts";
export { disconnectStatement } from "./disconnect/store-disconnect.ts";
export { readPerson } from "./data-deletion/read-signed-request.ts";
export { recordDeletionRequest } from "./data-deletion/request-deletion.ts";
export {
  accountsOfPerson,
  type DataDeletion,
  endLoginsOfPerson,
  erasePersonStatements,
  findDeletion,
  type OpenDeletion,
  openDeletions,
  type PersonOfPlatform,
} from "./data-deletion/store-data-deletions.ts";
export { deleteExpiredStates } from "./connect/store-connect-states.ts";
export { syncAccounts } from "./sync/sync-workspace-accounts.ts";
export { type ConnectionSync, syncConnection } from "./sync/sync-connection.ts";
export type {
  Account,
  AvailabilityChanges,
  TargetAccount,
  ConnectResult,
  FinishedConnect,
  SkippedAccount,
} from "./types.ts";
