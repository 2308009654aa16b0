import type { noticeRoutes } from '#contract/notices.ts'
import type { supportRoutes } from '#contract/support.ts'
import type { Context, ServicesOf } from '#server/http/context.ts'
import type { Handlers } from '#server/http/implement.ts'
import { countUnreadMessages, deleteMessage, listMessages, markMessage, markMessages } from './inbox.ts'
import {
  addNotice,
  changeNotice,
  closeNotice,
  createPublicNotices,
  listNotices,
  listOwnNotices,
  removeNotice,
} from './notices.ts'
import { type ReportProblemContext, reportProblem } from './report-problem.ts'
import { type SendMessageContext, sendMessage } from './send-message.ts'

export function supportHandlers(
  services: ServicesOf<SendMessageContext & ReportProblemContext>,
): Handlers<typeof supportRoutes> {
  return {
    async sendSupportMessage({ context, body }) {
      await sendMessage({ ...services, ...context }, body)
      return { success: true }
    },
    async reportProblem({ context, body }) {
      await reportProblem({ ...services, ...context }, body)
      return { success: true }
    },
    listSupportMessages: ({ context, query }) => listMessages(context.db, query),
    countUnreadMessages: ({ context }) => countUnreadMessages(context.db),
    markMessageRead: ({ context, params, body }) => markMessage(context, params.id, body),
    markAllMessagesRead: ({ context, body }) => markMessages(context, body),
    deleteMessage: async ({ context, params }) => {
      await deleteMessage(context, params.id)
      return undefined
    },
  }
}

/** Notices of administrators to people. */
export function noticeHandlers(services: Pick<Context, 'db' | 'clock'>): Handlers<typeof noticeRoutes> {
  const listPublicNotices = createPublicNotices(services)
  return {
    listOwnNotices: async ({ context }) => ({ items: await listOwnNotices(context) }),
    listPublicNotices: async () => ({ items: await listPublicNotices() }),
    async closeNotice({ context, params }) {
      await closeNotice(context, params.id)
      return undefined
    },
    listNotices: async ({ context }) => ({ items: await listNotices(context) }),
    addNotice: ({ context, body }) => addNotice(context, body),
    changeNotice: ({ context, params, ifMatch, body }) =>
      changeNotice(context, { ...params, ifMatch, change: body }),
    removeNotice: ({ context, params }) => removeNotice(context, params.id),
  }
}
