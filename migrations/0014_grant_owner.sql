ALTER TABLE `connections` ADD `grant_owner` text;--> statement-breakpoint
CREATE INDEX `connections_grant` ON `connections` (`platform`,`grant_owner`) WHERE grant_owner IS NOT NULL;