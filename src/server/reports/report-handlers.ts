import type { reportRoutes } from '#contract/reports.ts'
import type { Handlers } from '#server/http/implement.ts'
import { type EmbedTokenTools, issueEmbedToken } from './issue-embed-token.ts'
import { readOwnReports } from './read-own-reports.ts'

export function reportHandlers(tools: EmbedTokenTools): Handlers<typeof reportRoutes> {
  return {
    readOwnReports: ({ actor }) => readOwnReports(tools.db, actor),
    issueEmbedToken: ({ actor, body, request }) => {
      // marcas, estados and userEmail of the body are ignored on purpose: the profile's are used.
      const wanted = {
        workspaceId: body.workspaceId,
        reportId: body.reportId,
        datasetId: body.datasetId ?? null,
      }
      return issueEmbedToken(tools, actor, wanted, request)
    },
  }
}
