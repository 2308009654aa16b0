import * as z from 'zod/mini'
import { MAX_ITEMS, typeSchema } from './catalogue.ts'
import type { Routes } from './route.ts'
import { ONE_LINE } from './text-rules.ts'
import { undoable } from './undo.ts'
import { instantSchema } from './users.ts'

export const MAX_NOTICES = 100
export const MAX_NOTICE_LENGTH = 300
/** Two lines at /login on a phone. */
export const MAX_LOGIN_NOTICE_LENGTH = 100

/** The most severe first. */
export const SEVERITIES = ['problem', 'warning', 'info'] as const
export type Severity = (typeof SEVERITIES)[number]

export const noticeMessages = {
  empty: 'Escreva o aviso',
  tooLong: `Use no máximo ${MAX_NOTICE_LENGTH} caracteres`,
  characters: 'O aviso tem um caractere que não pode ser usado',
  noAreas: 'Escolha pelo menos uma área',
  endBeforeStart: 'O fim precisa ser depois do início',
  endPassed: 'Este momento já passou',
  loginLink: 'Na tela de entrada o aviso não pode ter endereços nem e-mails',
  loginTooLong: `Na tela de entrada use no máximo ${MAX_LOGIN_NOTICE_LENGTH} caracteres`,
  loginAreas: 'Na tela de entrada o aviso é para todos',
  tooMany: `Já há ${MAX_NOTICES} avisos, o máximo. Exclua um antigo.`,
  gone: 'Este aviso não existe mais. Talvez já tenha sido excluído.',
  changedMeanwhile: 'O aviso mudou nesse meio-tempo. Confira como ele está agora antes de salvar de novo.',
} as const

const severitySchema = z.enum(SEVERITIES)

/** A notice as people see it. */
export const shownNoticeSchema = z.object({ id: z.uuid(), severity: severitySchema, text: z.string() })
export type ShownNotice = z.output<typeof shownNoticeSchema>

const noticeBody = z.strictObject({
  text: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, noticeMessages.empty),
      z.maxLength(MAX_NOTICE_LENGTH, noticeMessages.tooLong),
      z.regex(ONE_LINE, noticeMessages.characters),
    ),
  severity: severitySchema,
  /** Labels of areas; null for everyone. */
  types: z.nullable(
    z.array(typeSchema).check(z.minLength(1, noticeMessages.noAreas), z.maxLength(MAX_ITEMS)),
  ),
  /** Null for as soon as it is published. */
  starts_at: z.nullable(instantSchema),
  /** Null for until an administrator ends it. */
  ends_at: z.nullable(instantSchema),
  on_login: z.boolean(),
  is_draft: z.boolean(),
})
export type NoticeForm = z.output<typeof noticeBody>

const noticeSchema = z.extend(shownNoticeSchema, {
  types: z.nullable(z.array(z.string())),
  starts_at: z.nullable(instantSchema),
  ends_at: z.nullable(instantSchema),
  on_login: z.boolean(),
  is_draft: z.boolean(),
  /** By the server's clock. */
  state: z.enum(['draft', 'scheduled', 'active', 'ended']),
  /** How many people have closed it. */
  closed: z.number(),
  /** Incremented with every change; sent as If-Match. */
  version: z.number(),
})
export type Notice = z.output<typeof noticeSchema>

/** An address, also without its scheme, or an e-mail. */
export const LINK = /:\/\/|www\.|@|[\p{L}\p{N}]\.\p{L}{2}/iu

/** Returns what is wrong with a notice beyond its schema, and in which field. */
export function findNoticeFault(form: NoticeForm): { path: keyof NoticeForm; message: string } | undefined {
  const { text, types, starts_at, ends_at, on_login } = form
  if (on_login && LINK.test(text)) return { path: 'text', message: noticeMessages.loginLink }
  if (on_login && text.length > MAX_LOGIN_NOTICE_LENGTH)
    return { path: 'text', message: noticeMessages.loginTooLong }
  if (on_login && types) return { path: 'types', message: noticeMessages.loginAreas }
  if (starts_at && ends_at && ends_at <= starts_at)
    return { path: 'ends_at', message: noticeMessages.endBeforeStart }
  return undefined
}

const params = z.object({ id: z.uuid() })
const shownList = z.object({ items: z.array(shownNoticeSchema) })

export const noticeRoutes = {
  listOwnNotices: {
    method: 'GET',
    path: '/api/notices',
    access: 'signedIn',
    summary:
      'The notices that the caller sees now and has not closed, the most severe first; before approval those at /login',
    response: shownList,
  },
  listPublicNotices: {
    method: 'GET',
    path: '/api/notices/public',
    access: 'public',
    summary: 'The notices that stand at /login now; plain text without links',
    response: shownList,
  },
  closeNotice: {
    method: 'POST',
    path: '/api/notices/{id}/close',
    access: 'signedIn',
    summary: 'Closes a notice for the caller, on every device',
    trail: { none: 'what one has read, nothing that anybody else sees' },
    params,
  },
  listNotices: {
    method: 'GET',
    path: '/api/admin/notices',
    access: 'admin',
    summary: 'Every notice, the newest first',
    response: z.object({ items: z.array(noticeSchema) }),
  },
  addNotice: {
    method: 'POST',
    path: '/api/admin/notices',
    access: 'admin',
    idempotent: true,
    summary: 'Adds a notice; one for /login needs a recent password',
    trail: 'notice-added',
    body: noticeBody,
    response: noticeSchema,
    status: 201,
  },
  changeNotice: {
    method: 'PATCH',
    path: '/api/admin/notices/{id}',
    access: 'admin',
    conditional: true,
    idempotent: true,
    summary:
      'Replaces a notice, which whoever closed another text sees again, or ends it now; with a stale If-Match 409',
    trail: 'notice-changed',
    params,
    body: z.union([noticeBody, z.strictObject({ ended: z.literal(true) })]),
    response: z.extend(noticeSchema, undoable),
  },
  removeNotice: {
    method: 'DELETE',
    path: '/api/admin/notices/{id}',
    access: 'admin',
    idempotent: true,
    summary: 'Removes a notice',
    trail: 'notice-removed',
    params,
    response: z.object(undoable),
  },
} as const satisfies Routes
