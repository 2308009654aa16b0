import type { FigureFormat } from './data-set-format.ts'

/** A figure of a report: the sum of `of`, or `factor` × the sum of `of` ÷ the sum of `per`. */
export interface Metric {
  id: string
  label: string
  of: string
  per?: string
  factor?: number
  format: FigureFormat
}

/** Generates a measure as a multiple of another one of the same record, ± `noise` (a fraction). */
interface MeasureRule {
  name: string
  from: string
  times: number | 'price'
  noise: number
}

/** `main` and `second` are the additive metrics that the charts of the two pages draw. */
export interface AreaModel {
  area: string
  measures: readonly MeasureRule[]
  metrics: readonly Metric[]
  main: string
  second: string
}

const createMeasure = (name: string, from: string, times: MeasureRule['times'], noise: number) => {
  return { name, from, times, noise }
}
const createTotal = (id: string, label: string, format: FigureFormat = 'inteiro') => ({ id, label, of: id, format })
const createRatio = (id: string, label: string, of: string, per: string, format: FigureFormat, factor = 1) => {
  return { id, label, of, per, format, factor }
}

/** 'volume' is a brand's size in a state and month, about 1 for an average brand in Rio de Janeiro. */
export const AREA_MODELS: readonly AreaModel[] = [
  {
    area: 'Vendas',
    measures: [
      createMeasure('unidades', 'volume', 18, 0.08),
      createMeasure('faturamento', 'unidades', 'price', 0.03),
      createMeasure('margem', 'faturamento', 0.074, 0.1),
      createMeasure('testDrives', 'unidades', 2.6, 0.12),
    ],
    metrics: [
      createTotal('unidades', 'Unidades vendidas'),
      createTotal('faturamento', 'Faturamento', 'reais'),
      createRatio('ticketMedio', 'Ticket médio', 'faturamento', 'unidades', 'reais'),
      createRatio('margemBruta', 'Margem bruta', 'margem', 'faturamento', 'percentual'),
      createRatio('conversaoTestDrive', 'Test-drives convertidos', 'unidades', 'testDrives', 'percentual'),
    ],
    main: 'unidades',
    second: 'faturamento',
  },
  {
    area: 'Oficina',
    measures: [
      createMeasure('ordens', 'volume', 132, 0.07),
      createMeasure('receitaPecas', 'ordens', 615, 0.06),
      createMeasure('receitaMaoDeObra', 'ordens', 398, 0.05),
      createMeasure('horas', 'ordens', 5.2, 0.09),
      createMeasure('retornos', 'ordens', 0.031, 0.2),
    ],
    metrics: [
      createTotal('ordens', 'Ordens de serviço'),
      createTotal('receitaPecas', 'Receita de peças', 'reais'),
      createTotal('receitaMaoDeObra', 'Mão de obra', 'reais'),
      createRatio('tempoMedio', 'Tempo médio', 'horas', 'ordens', 'horas'),
      createRatio('retrabalho', 'Retrabalho', 'retornos', 'ordens', 'percentual'),
    ],
    main: 'ordens',
    second: 'receitaPecas',
  },
  {
    area: 'HPD',
    measures: [
      createMeasure('disponiveis', 'volume', 940, 0.03),
      createMeasure('trabalhadas', 'disponiveis', 0.84, 0.05),
      createMeasure('vendidas', 'trabalhadas', 0.93, 0.06),
      createMeasure('diasDeTecnico', 'disponiveis', 1 / 7.2, 0.04),
    ],
    metrics: [
      createTotal('vendidas', 'Horas vendidas'),
      createTotal('disponiveis', 'Horas disponíveis'),
      createRatio('produtividade', 'Produtividade', 'trabalhadas', 'disponiveis', 'percentual'),
      createRatio('eficiencia', 'Eficiência', 'vendidas', 'trabalhadas', 'percentual'),
      // A month has 22 working days.
      createRatio('horasPorTecnico', 'Horas por técnico', 'vendidas', 'diasDeTecnico', 'horas', 22),
    ],
    main: 'vendidas',
    second: 'disponiveis',
  },
  {
    area: 'CRM',
    measures: [
      createMeasure('oportunidades', 'volume', 96, 0.1),
      createMeasure('contatos', 'oportunidades', 3.4, 0.08),
      createMeasure('ganhas', 'oportunidades', 0.187, 0.12),
      createMeasure('minutosResposta', 'oportunidades', 23, 0.15),
    ],
    metrics: [
      createTotal('oportunidades', 'Oportunidades'),
      createTotal('contatos', 'Contatos realizados'),
      createTotal('ganhas', 'Negócios ganhos'),
      createRatio('taxaConversao', 'Taxa de conversão', 'ganhas', 'oportunidades', 'percentual'),
      createRatio('primeiraResposta', 'Primeira resposta', 'minutosResposta', 'oportunidades', 'minutos'),
    ],
    main: 'oportunidades',
    second: 'ganhas',
  },
  {
    area: 'Marketing',
    measures: [
      createMeasure('leads', 'volume', 118, 0.12),
      createMeasure('investimento', 'leads', 46, 0.1),
      createMeasure('visitas', 'leads', 0.34, 0.1),
      createMeasure('cliques', 'leads', 24, 0.15),
    ],
    metrics: [
      createTotal('leads', 'Leads'),
      createTotal('investimento', 'Investimento', 'reais'),
      createRatio('custoPorLead', 'Custo por lead', 'investimento', 'leads', 'centavos'),
      createTotal('visitas', 'Visitas à loja'),
      createRatio('conversaoCliques', 'Leads por clique', 'leads', 'cliques', 'percentual'),
    ],
    main: 'leads',
    second: 'visitas',
  },
  {
    area: 'Gerentes',
    measures: [
      createMeasure('meta', 'volume', 2_350_000, 0.02),
      createMeasure('realizado', 'meta', 0.985, 0.11),
      createMeasure('despesas', 'realizado', 0.058, 0.08),
      createMeasure('respostas', 'volume', 42, 0.1),
      createMeasure('notas', 'respostas', 8.7, 0.03),
    ],
    metrics: [
      createTotal('realizado', 'Realizado', 'reais'),
      createTotal('meta', 'Meta', 'reais'),
      createRatio('atingimento', 'Atingimento da meta', 'realizado', 'meta', 'percentual'),
      createRatio('despesaRelativa', 'Despesas', 'despesas', 'realizado', 'percentual'),
      createRatio('satisfacao', 'Satisfação (0\u00a0a\u00a010)', 'notas', 'respostas', 'decimal'),
    ],
    main: 'realizado',
    second: 'meta',
  },
  {
    area: 'Operadores',
    measures: [
      createMeasure('recebidas', 'volume', 268, 0.09),
      createMeasure('atendimentos', 'recebidas', 0.94, 0.02),
      createMeasure('segundos', 'atendimentos', 287, 0.08),
      createMeasure('dentroDoPrazo', 'atendimentos', 0.83, 0.05),
      createMeasure('agendamentos', 'atendimentos', 0.21, 0.1),
    ],
    metrics: [
      createTotal('atendimentos', 'Atendimentos'),
      createRatio('tempoAtendimento', 'TMA', 'segundos', 'atendimentos', 'duracao'),
      createRatio('nivelServico', 'Nível de serviço', 'dentroDoPrazo', 'atendimentos', 'percentual'),
      createRatio('atendidas', 'Chamadas atendidas', 'atendimentos', 'recebidas', 'percentual'),
      createTotal('agendamentos', 'Agendamentos'),
    ],
    main: 'atendimentos',
    second: 'agendamentos',
  },
]

/** Finds the model of an area; undefined for one without a report. */
export function findAreaModel(area: string): AreaModel | undefined {
  return AREA_MODELS.find((model) => model.area === area)
}

/** Returns a metric by id. @throws for an unknown id */
export function getMetric(model: AreaModel, id: string): Metric {
  const metric = model.metrics.find((each) => each.id === id)
  if (!metric) throw new Error(`${model.area} has no metric ${id}`)
  return metric
}
