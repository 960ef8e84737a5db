export { announceEnds } from "./announce-ends.ts";
export { deleteOldNotices } from "./delete-old-notices.ts";
export { describeNotice } from "./describe-notice.ts";
export { dismissNotice } from "./dismiss-notice.ts";
export { listNotices, type NoticeList } from "./list-notices.ts";
export { getMutedAlerts, setMutedAlerts } from "./muted-alerts.ts";
export { sendAlerts } from "./send-alerts.ts";
export type { Notice } from "./types.ts";
