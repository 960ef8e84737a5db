export { accessFor } from "./access.ts";
export { listBoards } from "./boards.ts";
export { finishConnect } from "./finish-connect.ts";
export { inParallel } from "./in-parallel.ts";
export { listAccounts } from "./list.ts";
export { markNeedsReconnect } from "./mark-needs-reconnect.ts";
export { revokeConnection } from "./revoke.ts";
export { type StartedConnect, startConnect } from "./start-connect.ts";
export { accountsStatement, findAccount, readAccounts } from "./store.ts";
export { claimDue as dueConnections } from "./store-connections.ts";
export { type Disconnected, disconnectStatements, readDisconnected } from "./store-disconnect.ts";
export { deleteExpiredStates } from "./store-states.ts";
export { syncAccounts } from "./sync.ts";
export { type ConnectionSync, syncConnection } from "./sync-connection.ts";
export type {
  Account,
  ChosenAccount,
  ConnectEnd,
  FinishedConnect,
  GrantedAccess,
  PostingNews,
  RefusedAccess,
  SkippedAccount,
  SyncResult,
} from "./types.ts";
