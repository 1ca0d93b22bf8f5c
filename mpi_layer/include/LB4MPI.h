/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_LB4MPI_H
#define GIMBAL_LB4MPI_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "gimbal/api.h"
#include "gimbal/mpi/built_with.h"

/** @file
 *  The interface of LB4MPI and DLS4LB on top of Gimbal, for programs written for them: the same functions, method
 *  numbers and fields. docs/lb4mpi.md says what is different, first of all that every iteration runs exactly once.
 *
 *      DLS_Parameters_Setup(MPI_COMM_WORLD, &info, P, -1, -1, -1, h, sigma, 0, 1.0, 1.0);
 *      DLS_StartLoop(&info, 0, n - 1, FAC);
 *      while (!DLS_Terminated(&info)) {
 *          DLS_StartChunk(&info, &start, &size);
 *          for (int i = start; i < start + size; ++i) work(i);
 *          DLS_EndChunk(&info);
 *      }
 *      DLS_EndLoop(&info, &iterations, &seconds);
 *
 *  A wrong call says so on standard error; one after which the ranks could not go on ends the program with MPI_Abort.
 *  Leaving a loop early is a warning: what this rank has drawn by then is not run. */

/* The macros of the original. GIMBAL_LB4MPI_NO_MACROS leaves them out; C++ never gets min and max. */
#ifndef GIMBAL_LB4MPI_NO_MACROS
#define maxProcs 128
#define maxChunks 500
#define maxGrpSize 4
#define minGrpSize 2
/* Tags of its messages. Gimbal sends none on the program's communicators. */
#define HNM_TAG 9990
#define CLR_TAG 9980
#define WRK_TAG 9970
#define REQ_TAG 9960
#define TRM_TAG 9950
#define END_TAG 9940
#ifndef __cplusplus
#ifndef min
#define min(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef max
#define max(a, b) ((a) > (b) ? (a) : (b))
#endif
#endif
/* Methods, and the techniques they are here. */
#define STATIC 0 /* static */
#define SS 1     /* ss */
#define FSC 2    /* fsc */
#define mFSC 3   /* mfsc */
#define GSS 4    /* gss */
#define TSS 5    /* tss */
#define FAC 6    /* fac2 */
#define WF 7     /* wf2 */
#define AWF 8    /* awf */
#define AWF_B 9  /* awf-b */
#define AWF_C 10 /* awf-c */
#define AWF_D 11 /* awf-d */
#define AWF_E 12 /* awf-e */
#define AF 13    /* af */
#define SimAS 14 /* simulate */
#endif

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__cplusplus) && __cplusplus >= 201103L
#define GIMBAL_LB4MPI_INIT(value) = value
#else
#define GIMBAL_LB4MPI_INIT(value)
#endif

/** One loop, or several one after the other. Fields whose names the program knows mean what they meant; those marked
 *  "in:" are wishes, read by DLS_StartLoop. */
struct infoDLS {
    MPI_Comm comm;      /**< whose ranks share the loop */
    MPI_Comm crew;      /**< outer loop of DLS_GroupSetup: this rank's group; else MPI_COMM_NULL */
    int commSize;       /**< P [count] */
    int crewSize;       /**< ranks of crew [count], or 0 */
    int foreman;        /**< 0 */
    int myRank;         /**< in comm */
    int firstRank;      /**< 0 */
    int lastRank;       /**< P - 1 */
    int method;         /**< the method number in force */
    int firstIter;      /**< first iteration of the loop */
    int lastIter;       /**< last iteration of the loop, inclusive */
    int N;              /**< iterations of the loop */
    int itersScheduled; /**< iterations handed out, as far as this rank knows; N when it has been told the end */
    int batchSize;      /**< 0 */
    int batchRem;       /**< 0 */
    int minChunkSize;   /**< least chunk in force: minChunk, or 1 */
    int maxChunkSize;   /**< largest chunk of this rank in this loop */
    int minChunk;       /**< in: least chunk, > 0; else the technique's own */
    int breakAfter;     /**< in: iterations between two looks for messages, > 0; else by GIMBAL_MPI_POLL_US */
    int requestWhen;    /**< ignored: the next chunk is asked for in time */
    int chunkFSC;       /**< 0 */
    int chunkMFSC;      /**< 0 */
    int chunkStart;     /**< first iteration of the chunk in hand */
    int probeFreq;      /**< iterations this rank runs between two looks for messages; 0: whole chunks */
    int sendRequest;    /**< 0 */
    int subChunkSize;   /**< iterations of the (part of a) chunk that the program runs now */
    int numChunks;      /**< chunks of this rank in this loop */
    int numENDed;       /**< 0 */
    int finishedOne;    /**< 1 once this rank has finished a chunk */
    int myExecs;        /**< chunks, or parts of them, that this rank has run in this loop */
    int myIters;        /**< iterations that this rank has run in this loop */
    int rStart;         /**< first iteration that this rank has drawn and not yet been given */
    int rSize;          /**< how many those are */
    int wStart;         /**< first iteration of the part in hand */
    int wSize;          /**< iterations of the part in hand; 0: none */
    int nextStart;      /**< 0 */
    int nextSize;       /**< 0 */
    int gotWork;        /**< 1 until the end is known */
    int req4WRKsent;    /**< 0 */
    int nextWRKrcvd;    /**< 0 */
    double kopt0;       /**< 0 */
    double workTime;    /**< time between StartChunk and EndChunk in this loop [s] */
    double t0;          /**< when the loop began [s, MPI_Wtime] */
    double t1;          /**< when the part in hand began [s, MPI_Wtime] */
    double sumt1;       /**< sum of the times per iteration of the parts run [s] */
    double sumt2;       /**< sum of their squares [s^2] */
    double mySumTimes;  /**< sum of the parts' times [s] */
    double mySumSizes;  /**< sum of the parts' sizes [iterations] */
    double* stats;      /**< room for 3 P numbers, which nothing reads */
    double h_overhead;  /**< in: what drawing a chunk costs, for FSC [s]; <= 0: measured */
    double sigma;       /**< in: standard deviation of an iteration's time, for FSC [s]; <= 0: measured */
    double* weights;    /**< in: [P] relative speeds, for WF */
    int TSSchunk;       /**< 0 */
    int TSSdelta;       /**< 0 */
    int timeStep;       /**< loops begun with this structure */

    /** in: names the loop; loops of one name learn together. Read by DLS_Setup and DLS_Parameters_Setup; the same on
     * all ranks; at most 127 bytes. */
    const char* looptitle GIMBAL_LB4MPI_INIT(NULL);
    int workload GIMBAL_LB4MPI_INIT(0); /**< in: iterations of the loop that looptitle names; only to be checked */

    /** Gimbal's own. */
    struct {
        long long ready GIMBAL_LB4MPI_INIT(0);
        long long open GIMBAL_LB4MPI_INIT(0);
        void* data GIMBAL_LB4MPI_INIT(NULL);
        int items GIMBAL_LB4MPI_INIT(0);
        int item_bytes GIMBAL_LB4MPI_INIT(0);
        int write_back GIMBAL_LB4MPI_INIT(0);
        int slot GIMBAL_LB4MPI_INIT(0);
        int name GIMBAL_LB4MPI_INIT(-1);
        char title[128];
    } gimbal;
};
typedef struct infoDLS infoDLS;

/** 15, and the names of the methods 0 to 14. */
extern GIMBAL_API int DLS_MethodCount;
extern GIMBAL_API char* DLS_ShortName[];
extern GIMBAL_API char* DLS_LongName[];

/** @return a name such as "AWF-B"; for a number that is no method that of 0, STATIC */
GIMBAL_API char* get_DLS_ShortName(int method);

/** Prepare a structure for loops over the ranks of a communicator. Local. */
GIMBAL_API void DLS_Setup(MPI_Comm comm, infoDLS* info);

/** The same, with wishes.
 *  @param numProcs     ignored: P is the size of comm
 *  @param requestWhen, breakAfter, minChunk, h_overhead, sigma  as the fields; -1: as Gimbal thinks best
 *  @param nKNL         the last nKNL ranks run at KNL_speed, the others at Xeon_speed: the weights of WF. At most P,
 *                      and then both speeds > 0; 0 or less: all ranks run at one speed */
GIMBAL_API void DLS_Parameters_Setup(MPI_Comm comm, infoDLS* info, int numProcs, int requestWhen, int breakAfter,
                                     int minChunk, double h_overhead, double sigma, int nKNL, double Xeon_speed,
                                     double KNL_speed);

/** Two nested loops: the iterations of the outer one are shared among groups of ranks, each of which shares the inner
 *  loop of its outer iterations. Groups have at most maxGrpSize ranks of one node. Collective over world. Their
 *  communicators are made once for world and coordinator, and go with world. */
GIMBAL_API void DLS_GroupSetup(MPI_Comm world, int coordinator, infoDLS* outer, infoDLS* inner);

/** The communicators of DLS_GroupSetup: the groups' first ranks (elsewhere MPI_COMM_NULL), and this rank's group.
 *  Collective over world; to be freed by the program. */
GIMBAL_API void DLS_Partition(MPI_Comm world, int coordinator, MPI_Comm* foremen, MPI_Comm* group);

/** The loops of this structure are over distributed data from now on: this rank owns `items` items at `data`, and idle
 *  ranks steal from those that have some left. DLS_StartChunk then hands out indices of `data` plus firstIter, and puts
 *  stolen items there for as long as their chunk runs. After DLS_Setup; see docs/lb4mpi.md.
 *  @param data        at least max(1, items) items; not touched by the program between EndChunk and StartChunk
 *  @param item_bytes  size of an item, which must be copyable as bytes [bytes]; the same on all ranks
 *  @param write_back  1: what a chunk leaves in its items goes back to their owner; 0: it is dropped */
GIMBAL_API void DLS_DataSetup(infoDLS* info, void* data, int items, int item_bytes, int write_back);

/** Begin a loop over [firstIter, lastIter]; none if lastIter < firstIter. Not a barrier; the first one after a setup,
 * and the first one with a method or minChunk that is new, are collective over comm. */
GIMBAL_API void DLS_StartLoop(infoDLS* info, int firstIter, int lastIter, int method);

/** @return 1 when there is nothing left for this rank to run, else 0 */
GIMBAL_API int DLS_Terminated(infoDLS* info);

/** What to run next: [*start, *start + *size). The size is 0 if nothing is left. */
GIMBAL_API void DLS_StartChunk(infoDLS* info, int* start, int* size);

/** The iterations of the last DLS_StartChunk are done, in the time since then. Answers other ranks' requests. Without
 *  effect where the size was 0; each other DLS_StartChunk needs one. */
GIMBAL_API void DLS_EndChunk(infoDLS* info);

/** Leave the loop; not a barrier.
 *  @param niters    out: iterations that this rank ran; or NULL
 *  @param worktime  out: what they took [s]; or NULL */
GIMBAL_API void DLS_EndLoop(infoDLS* info, int* niters, double* worktime);

/** Give a structure back; DLS_Setup makes it usable again. Local. */
GIMBAL_API void DLS_Finalize(infoDLS* info);

/** Sets probeFreq by breakAfter. DLS_StartLoop does so, too. */
GIMBAL_API void SetBreaks(infoDLS* info);

#ifdef __cplusplus
}
#endif
#endif
