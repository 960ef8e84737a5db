export { runCron } from "./run-cron.ts";
