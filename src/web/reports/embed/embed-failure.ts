import { reportMessages } from '#contract/messages.ts'

/** The body of the report's `error` event, as far as it is used (powerbi-models IError). */
export interface EmbedError {
  message?: string
  detailedMessage?: string
  errorCode?: string
  /** powerbi-models TraceType: 0 information … 2 warning, 3 to 5 non-fatal errors, 6 fatal. */
  level?: number
  /** The service's id of the failed request. */
  technicalDetails?: { requestId?: string }
}

export interface EmbedFailure {
  title: string
  advice: string
  /** The code to quote in a support ticket; empty when there is none. */
  code: string
  /** Whether the page retries every minute. */
  autoRetries: boolean
  requestId?: string | undefined
}

const FATAL_LEVEL = 6
const CONTACT_ADMINISTRATOR = 'Recarregue a página; se continuar assim, avise o administrador do portal.'
const PAUSED =
  'O serviço do Power BI está pausado ou indisponível. Vamos tentar de novo automaticamente a cada minuto.'

const ADVICE: Record<string, string> = {
  TokenExpired: 'O acesso a este relatório expirou. Recarregue a página para continuar.',
  PowerBIEntityNotFound: 'Este relatório não existe mais no Power BI. Avise o administrador do portal.',
  'Invalid parameters':
    'O Power BI não aceitou a configuração deste relatório. Avise o administrador do portal.',
  LoadReportFailed: `O Power BI não conseguiu abrir este relatório. ${CONTACT_ADMINISTRATOR}`,
  PowerBINotAuthorizedException:
    'O portal não tem permissão para abrir este relatório no Power BI. Avise o administrador do portal.',
  OpenConnectionError: PAUSED,
  ExplorationContainer_FailedToLoadModel_DefaultDetails: PAUSED,
}

export const INVALID_REPORT = createFailure(
  'Avise o administrador do portal: falta um dado na configuração deste relatório.',
  reportMessages.embedInvalid,
)
export const INVALID_URL = createFailure(
  'Avise o administrador do portal: o endereço configurado para este relatório não é do Power BI.',
  reportMessages.embedInvalid,
)
export const NOT_FRAMED = createFailure(
  'O Power BI não deixa este endereço aparecer dentro do portal. Abra o relatório no Power BI e avise o administrador do portal.',
)
export const LOAD_TIMED_OUT = createFailure(
  'O relatório demorou demais para responder. Verifique sua conexão e recarregue a página.',
)
export const SDK_UNREACHABLE = createFailure(
  'Parte do portal não pôde ser baixada. Verifique sua conexão e recarregue a página.',
)

function createFailure(advice: string, title: string = reportMessages.embedFailed): EmbedFailure {
  return { title, advice, code: '', autoRetries: false }
}

/** Finds the known code of an error, which may be in the message, the errorCode or the details. */
function findCode(error: EmbedError): string | undefined {
  const texts = [error.message, error.errorCode, error.detailedMessage]
  return Object.keys(ADVICE).find((code) => texts.some((text) => text?.includes(code)))
}

export function toEmbedFailure(error: EmbedError): EmbedFailure {
  const code = findCode(error)
  const advice = code && ADVICE[code]
  return {
    ...createFailure(advice || `Algo deu errado ao abrir este relatório. ${CONTACT_ADMINISTRATOR}`),
    code: code ?? error.message ?? '',
    autoRetries: advice === PAUSED,
    requestId: error.technicalDetails?.requestId,
  }
}

export function isTokenExpired(error: EmbedError): boolean {
  return findCode(error) === 'TokenExpired'
}

/**
 * Checks whether an error ends the report. Below fatal it never does once the report has rendered;
 * without a level it does when its code is known. Errors of filters are only logged:
 * the report still shows.
 */
export function isFatalError(error: EmbedError, hasRendered: boolean): boolean {
  const isKnown = findCode(error) !== undefined
  if (!isKnown && /filter/i.test(error.message ?? '')) return false
  if (error.level === undefined) return isKnown || !hasRendered
  return error.level >= FATAL_LEVEL || (isKnown && !hasRendered)
}
