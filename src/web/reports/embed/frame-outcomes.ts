import { createFailure, type EmbedFailure } from './embed-failure.ts'

/** The body of the report's `error` event, as far as it is used (powerbi-models IError). */
export interface EmbedError {
  message?: string
  detailedMessage?: string
  /** Mostly the status of the refused request. */
  errorCode?: string
  /** powerbi-models TraceType: 0 information … 2 warning, 3 to 5 non-fatal errors, 6 fatal. */
  level?: number
  /** The service's id of the failed request. */
  technicalDetails?: { requestId?: string }
}

interface FrameOutcome {
  name: string
  /** Found in 'message errorCode: detailedMessage'. */
  pattern: RegExp
  advice: string
  /** Who mends it, and how. */
  adminAdvice?: string
  /** Ends by itself: the page retries every minute. */
  isTemporary?: true
}

const FATAL_LEVEL = 6
const RETRIES = 'O portal tenta de novo sozinho a cada minuto.'
const TELL = 'Avise o administrador do portal.'
const RELOAD = 'Recarregue a página; se continuar assim, avise o administrador do portal.'
const BI_ADMINISTRATOR = 'o administrador do Power BI precisa'

/**
 * The first match counts. From learn.microsoft.com/power-bi/developer/embedded/embedded-troubleshoot;
 * for overload, learn.microsoft.com/fabric/enterprise/capacity-planning-troubleshoot-errors.
 */
const OUTCOMES: readonly FrameOutcome[] = [
  {
    name: 'renew',
    pattern: /TokenExpired/,
    advice: 'O acesso a este relatório expirou. Recarregue a página para continuar.',
  },
  {
    name: 'capacity-overloaded',
    pattern: /FabricThrottled|CapacityLimitExceeded|ForCapacity|exceeded its limits|capacity limit/i,
    advice: `O Power BI está sobrecarregado agora. ${RETRIES}`,
    adminAdvice: `A capacidade passou do limite de uso: ${BI_ADMINISTRATOR} ver no aplicativo Métricas de Capacidade o que a ocupa, e aliviá-la ou aumentá-la.`,
    isTemporary: true,
  },
  {
    name: 'capacity',
    pattern:
      /OpenConnectionError|FailedToLoadModel|CapacityNotActive|capacity.*(paused|not (active|available))/i,
    advice: `O serviço do Power BI está pausado ou indisponível. ${RETRIES}`,
    adminAdvice: `A capacidade está pausada ou foi excluída: ${BI_ADMINISTRATOR} retomá-la, ou atribuir o espaço de trabalho a outra.`,
    isTemporary: true,
  },
  {
    name: 'busy',
    pattern: /\b(429|502|503|504):|TooManyRequests|ServiceUnavailable/,
    advice: `O Power BI não respondeu como devia. ${RETRIES}`,
    isTemporary: true,
  },
  {
    name: 'no-workspace-access',
    pattern: /PowerBINotAuthorizedException/,
    advice: `O portal não tem permissão para abrir este relatório no Power BI. ${TELL}`,
    adminAdvice: `Confira o Workspace ID; se estiver certo, ${BI_ADMINISTRATOR} incluir o aplicativo do portal como membro do espaço de trabalho.`,
  },
  {
    name: 'wrong-id',
    pattern: /PowerBIEntityNotFound|LoadReportFailed (404|500):/,
    advice: `Este relatório não existe mais no Power BI. ${TELL}`,
    adminAdvice:
      'O Power BI não conhece o relatório com este Report ID: confira-o e o Workspace ID nas configurações.',
  },
  {
    name: 'wrong-token',
    pattern: /LoadReportFailed 403:|resolve cluster|Invalid parameters/,
    advice: `O Power BI não aceitou a configuração deste relatório. ${RELOAD}`,
    adminAdvice:
      'O token que o portal obteve não vale para este relatório: use “Testar relatório” nas configurações e confira nelas o Report ID e o Dataset ID.',
  },
  {
    name: 'load-failed',
    pattern: /LoadReportFailed/,
    advice: `O Power BI não conseguiu abrir este relatório. ${RELOAD}`,
  },
]

/** Addresses and tokens; people write nothing this long without a space. */
const PRIVATE = /\S+@\S+|[\w+/=.-]{60,}/g
const CODE = /^(\w{1,59}|Invalid parameters)$/

/** Finds the documented outcome of an error. */
export function findFrameOutcome(error: EmbedError): FrameOutcome | undefined {
  const { message, errorCode, detailedMessage } = error
  return OUTCOMES.find(({ pattern }) => pattern.test(`${message} ${errorCode}: ${detailedMessage}`))
}

export function toEmbedFailure(error: EmbedError): EmbedFailure {
  const { advice, adminAdvice, isTemporary = false } = findFrameOutcome(error) ?? {}
  const { message = '', errorCode = '', detailedMessage = '' } = error
  const words = [message, detailedMessage]
    .filter(Boolean)
    .join(': ')
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
  const said = words && `O Power BI respondeu: “${words.replace(PRIVATE, '…').slice(0, 500)}”`
  return {
    ...createFailure(advice ?? `Algo deu errado ao abrir este relatório. ${RELOAD}`),
    code: [message, errorCode].filter((text) => CODE.test(text)).join(' '),
    adminAdvice: [adminAdvice, said].filter(Boolean).join(' '),
    autoRetries: isTemporary,
    requestId: error.technicalDetails?.requestId,
  }
}

/**
 * Checks whether an error ends the report. Below fatal it never does once the report has rendered;
 * without a level it does when its outcome is known. Errors of filters are only logged:
 * the report still shows.
 */
export function isFatalError(error: EmbedError, hasRendered: boolean): boolean {
  const isKnown = findFrameOutcome(error) !== undefined
  if (!isKnown && /filter/i.test(error.message ?? '')) return false
  if (error.level === undefined) return isKnown || !hasRendered
  return error.level >= FATAL_LEVEL || (isKnown && !hasRendered)
}
