DROP INDEX `connections_sync`;--> statement-breakpoint
CREATE INDEX `connections_sync` ON `connections` (`platform`,`next_sync_at`) WHERE next_sync_at IS NOT NULL;